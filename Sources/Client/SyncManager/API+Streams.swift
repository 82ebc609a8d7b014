import SyncEngine
import SyncModel
import SyncStreams

@_cdecl("sm_stream_open")
public func sm_stream_open(
    _ client: OpaquePointer?, _ spec: UnsafePointer<CChar>?, _ function: StreamFunction?,
    _ userData: UnsafeMutableRawPointer?, _ destroy: DestroyCallback?, _ out: UnsafeMutablePointer<OpaquePointer?>?
) -> Int32 {
    let listener = Listener(userData: userData, destroy: destroy)
    // The function object calls the host's destroy function when it is freed, also when the call is refused.
    let function = HostFunction(function, listener)
    if function == nil { listener.end() }
    return call { () throws(BorderError) in
        let client = try Registry.client(client)
        guard let out else { throw BorderError(.invalidArgument, "out is NULL") }
        let text = try CText.read(spec, "spec")
        let (parsed, place, handle) = try CText.document(text) { (text) throws(DocumentError) in
            let parsed = try StreamSpec(parsing: text)
            let place = try client.place(of: parsed.source)
            return (parsed, place, try StreamHandle(parsed, find: client.queue.stream))
        }
        guard function != nil || !parsed.needsFunction else {
            throw BorderError(.invalidArgument, "function is NULL, and the spec asks for one with \"$host\"")
        }
        let id = client.nextCollectionID()
        let lists = DeliveredLists(id: id, stream: handle, spec: parsed, criteria: text)
        try client.open(lists, .openStream(id: id.number, parsed, function: function, place: place))
        out.pointee = try Registry.add(collection: CollectionHandle(
            client: client, id: id, isMessages: false, stream: handle.kind))
    }
}

@_cdecl("sm_stream_call")
public func sm_stream_call(
    _ stream: OpaquePointer?, _ text: UnsafePointer<CChar>?, _ callback: ResultCallback?,
    _ userData: UnsafeMutableRawPointer?, _ destroy: DestroyCallback?, _ outRequest: UnsafeMutablePointer<UInt64>?
) -> Int32 {
    request(Listener(result: callback, userData: userData, destroy: destroy), outRequest) { () throws(BorderError) in
        let stream = try Registry.collection(stream)
        let kind = try stream.checkStream()
        let asked = try CText.document(try CText.read(text, "request")) { (text) throws(DocumentError) in
            try StreamRequest(parsing: text, for: kind)
        }
        return Request(stream.client, .stream(asked, of: stream.id.number))
    }
}
