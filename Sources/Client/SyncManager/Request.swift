import SyncEngine
import SyncModel

/// A call that completes through the queue, and its client.
struct Request {
    let client: Client
    let fetch: CallTable.FetchKey?
    let call: HostCall

    init(_ client: Client, fetch: CallTable.FetchKey? = nil, _ call: HostCall) {
        self.client = client
        self.fetch = fetch
        self.call = call
    }
}

/// Makes a call that completes through the queue. When it is refused, the destroy function is called here.
func request(
    _ listener: Listener, _ outRequest: UnsafeMutablePointer<UInt64>?, _ body: () throws(BorderError) -> Request
) -> Int32 {
    let code = call { () throws(BorderError) in
        let request = try body()
        let call = try request.client.call(listener, fetch: request.fetch, request.call)
        outRequest?.pointee = call.number
    }
    if code != 0 { listener.end() }
    return code
}

/// The same for a call about an own message, which is given as a document.
func request<Document>(
    _ listener: Listener, _ outRequest: UnsafeMutablePointer<UInt64>?, _ collection: OpaquePointer?,
    _ text: UnsafePointer<CChar>?, _ read: ([UInt8]) throws(DocumentError) -> Document,
    _ call: (CollectionHandle, Document) -> OwnMessageCall
) -> Int32 {
    request(listener, outRequest, collection, text) { (collection, text) throws(BorderError) in
        call(collection, try CText.document(text, read))
    }
}

/// The same when the client decides how the document is read.
func request(
    _ listener: Listener, _ outRequest: UnsafeMutablePointer<UInt64>?, _ collection: OpaquePointer?,
    _ text: UnsafePointer<CChar>?,
    _ body: (CollectionHandle, [UInt8]) throws(BorderError) -> OwnMessageCall
) -> Int32 {
    request(listener, outRequest) { () throws(BorderError) in
        let collection = try Registry.collection(collection)
        try collection.checkMessages()
        let own = try body(collection, try CText.read(text, "message"))
        return Request(collection.client, .own(own, in: collection.id))
    }
}
