import CSyncManager
import Glibc
import SyncEngine
import SyncModel
import SyncStreams

// The exported functions, in the header's order; the header says what each promises.

/// Runs the body of an exported function: an error becomes the thread's last error and the returned status.
package func status<Number: SignedInteger>(_ body: () throws(BorderError) -> Number) -> Number {
    do throws(BorderError) {
        return try body()
    } catch {
        LastError.set(error)
        return Number(error.status.rawValue)
    }
}

/// The same for a function that returns nothing but the status.
package func call(_ body: () throws(BorderError) -> Void) -> Int32 {
    status { () throws(BorderError) -> Int32 in
        try body()
        return 0
    }
}

@_cdecl("sm_api_version")
public func sm_api_version() -> Int32 { Version.api }

@_cdecl("sm_version_string")
public func sm_version_string() -> UnsafePointer<CChar>? { UnsafePointer(Version.cText) }

@_cdecl("sm_status_name")
public func sm_status_name(_ code: Int32) -> UnsafePointer<CChar>? {
    let name: StaticString = Status(rawValue: code)?.name ?? "SM_ERR_UNKNOWN"
    return UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
}

@_cdecl("sm_last_error")
public func sm_last_error() -> UnsafePointer<CChar>? { LastError.text }

@_cdecl("sm_string_free")
public func sm_string_free(_ text: UnsafeMutablePointer<CChar>?) { free(text) }

@_cdecl("sm_set_log")
public func sm_set_log(
    _ level: Int32, _ callback: (@convention(c) (UnsafeMutableRawPointer?, Int32, UnsafePointer<CChar>?) -> Void)?,
    _ userData: UnsafeMutableRawPointer?
) -> Int32 {
    call { () throws(BorderError) in
        guard (0...4).contains(level) else { throw BorderError(.invalidArgument, "level must be from 0 to 4") }
        try Registry.checkProcess()
        try Log.set(level: level, callback: callback, userData: userData)
    }
}

// MARK: Client

@_cdecl("sm_setup")
public func sm_setup(_ config: UnsafePointer<CChar>?, _ out: UnsafeMutablePointer<OpaquePointer?>?) -> Int32 {
    call { () throws(BorderError) in
        guard let out else { throw BorderError(.invalidArgument, "out is NULL") }
        try Registry.claimProcess()
        let configuration = try CText.document(try CText.read(config, "config"), Configuration.init)
        out.pointee = Registry.add(try Client(configuration))
    }
}

@_cdecl("sm_connect")
public func sm_connect(
    _ client: OpaquePointer?, _ callback: ResultCallback?, _ userData: UnsafeMutableRawPointer?,
    _ destroy: DestroyCallback?, _ outRequest: UnsafeMutablePointer<UInt64>?
) -> Int32 {
    request(Listener(result: callback, userData: userData, destroy: destroy), outRequest) { () throws(BorderError) in
        Request(try Registry.client(client), .connect)
    }
}

@_cdecl("sm_disconnect")
public func sm_disconnect(_ client: OpaquePointer?) -> Int32 { post(client, .disconnect) }

@_cdecl("sm_resume_sync")
public func sm_resume_sync(_ client: OpaquePointer?) -> Int32 { post(client, .resumeSync) }

@_cdecl("sm_pause_sync")
public func sm_pause_sync(_ client: OpaquePointer?) -> Int32 { post(client, .pauseSync) }

private func post(_ client: OpaquePointer?, _ post: HostPost) -> Int32 {
    call { () throws(BorderError) in try Registry.client(client).post(post) }
}

@_cdecl("sm_set_token")
public func sm_set_token(_ client: OpaquePointer?, _ token: UnsafePointer<CChar>?) -> Int32 {
    call { () throws(BorderError) in
        let client = try Registry.client(client)
        let token = try CText.readString(token, "access_token")
        guard TransportHeader.takes(token) else {
            throw BorderError(.invalidArgument, "access_token holds a control character")
        }
        try client.post(.setToken(token))
    }
}

@_cdecl("sm_set_foreground")
public func sm_set_foreground(_ client: OpaquePointer?, _ isForeground: Int32) -> Int32 {
    call { () throws(BorderError) in
        let client = try Registry.client(client)
        guard isForeground == 0 || isForeground == 1 else {
            throw BorderError(.invalidArgument, "is_foreground must be 0 or 1")
        }
        try client.post(.setForeground(isForeground == 1))
    }
}

@_cdecl("sm_sign_out")
public func sm_sign_out(
    _ client: OpaquePointer?, _ callback: ResultCallback?, _ userData: UnsafeMutableRawPointer?,
    _ destroy: DestroyCallback?, _ outRequest: UnsafeMutablePointer<UInt64>?
) -> Int32 {
    request(Listener(result: callback, userData: userData, destroy: destroy), outRequest) { () throws(BorderError) in
        Request(try Registry.client(client), .signOut)
    }
}

@_cdecl("sm_clear_cache")
public func sm_clear_cache(
    _ client: OpaquePointer?, _ channelURL: UnsafePointer<CChar>?, _ callback: ResultCallback?,
    _ userData: UnsafeMutableRawPointer?, _ destroy: DestroyCallback?, _ outRequest: UnsafeMutablePointer<UInt64>?
) -> Int32 {
    request(Listener(result: callback, userData: userData, destroy: destroy), outRequest) { () throws(BorderError) in
        let client = try Registry.client(client)
        let url = channelURL == nil ? nil : ChannelURL(try CText.readString(channelURL, "channel_url"))
        return Request(client, .clearCache(channelURL: url))
    }
}

@_cdecl("sm_close")
public func sm_close(_ client: OpaquePointer?) {
    guard let client else { return }
    _ = call { () throws(BorderError) in
        try Registry.client(client).close()
        Registry.remove(client)
    }
}

// MARK: Events

@_cdecl("sm_get_fd")
public func sm_get_fd(_ client: OpaquePointer?) -> Int32 {
    status { () throws(BorderError) in
        let client = try Registry.client(client)
        try client.checkOpen()
        return client.queue.fileDescriptor
    }
}

@_cdecl("sm_next_event")
public func sm_next_event(
    _ client: OpaquePointer?, _ timeout: Int32, _ json: UnsafeMutablePointer<UnsafePointer<CChar>?>?,
    _ outLength: UnsafeMutablePointer<Int>?
) -> Int32 {
    call { () throws(BorderError) in
        let client = try Registry.client(client)
        guard let json else { throw BorderError(.invalidArgument, "json is NULL") }
        try client.queue.beginDraining()
        defer { client.queue.endDraining() }
        let length = client.borrowNext(timeout: timeout)
        json.pointee = UnsafePointer(client.borrowed)
        outLength?.pointee = length
    }
}

@_cdecl("sm_dispatch")
public func sm_dispatch(_ client: OpaquePointer?, _ maxEvents: Int32, _ timeout: Int32) -> Int32 {
    status { () throws(BorderError) in
        let client = try Registry.client(client)
        guard maxEvents >= 0 else { throw BorderError(.invalidArgument, "max_events is negative") }
        try client.queue.beginDraining()
        defer { client.queue.endDraining() }
        var count: Int32 = 0
        var wait = timeout
        // Without `max_events` at most a thousand are taken, so that the call ends although events come while callbacks
        // run. The rest waits for the next call.
        while count < (maxEvents == 0 ? 1000 : maxEvents), client.dispatchNext(timeout: wait) {
            count += 1
            wait = 0
        }
        return count
    }
}

@_cdecl("sm_interrupt")
public func sm_interrupt(_ client: OpaquePointer?) -> Int32 {
    call { () throws(BorderError) in
        let client = try Registry.client(client)
        try client.checkOpen()
        client.queue.interrupt()
    }
}

@_cdecl("sm_set_callback")
public func sm_set_callback(
    _ client: OpaquePointer?, _ callback: EventCallback?, _ userData: UnsafeMutableRawPointer?,
    _ destroy: DestroyCallback?
) -> Int32 {
    listen(Listener(event: callback, userData: userData, destroy: destroy)) { (listener) throws(BorderError) in
        let client = try Registry.client(client)
        try client.checkOpen()
        try client.queue.setListener(listener)
    }
}

/// Registers a listener; when that fails, its destroy function is called here.
func listen(_ listener: Listener, _ body: (Listener) throws(BorderError) -> Void) -> Int32 {
    let code = call { () throws(BorderError) in try body(listener) }
    if code != 0 { listener.end() }
    return code
}

// MARK: Own messages

@_cdecl("sm_send_message")
public func sm_send_message(
    _ collection: OpaquePointer?, _ message: UnsafePointer<CChar>?, _ callback: ResultCallback?,
    _ userData: UnsafeMutableRawPointer?, _ destroy: DestroyCallback?, _ outRequest: UnsafeMutablePointer<UInt64>?
) -> Int32 {
    let listener = Listener(result: callback, userData: userData, destroy: destroy)
    return request(listener, outRequest, collection, message) { (collection, text) throws(BorderError) in
        let outgoing = try CText.document(text) { (text) throws(DocumentError) in
            try OwnMessage.outgoing(text) { collection.client.environment.randomBytes($0) }
        }
        return switch outgoing {
        case .resend(let id): .resend(requestID: id)
        case .message(let id, let body):
            .send(requestID: id, body: OwnMessage.body(body, inThread: collection.parentID))
        }
    }
}

@_cdecl("sm_append_message")
public func sm_append_message(
    _ collection: OpaquePointer?, _ message: UnsafePointer<CChar>?, _ callback: ResultCallback?,
    _ userData: UnsafeMutableRawPointer?, _ destroy: DestroyCallback?, _ outRequest: UnsafeMutablePointer<UInt64>?
) -> Int32 {
    let listener = Listener(result: callback, userData: userData, destroy: destroy)
    return request(listener, outRequest, collection, message) { (collection, text) throws(BorderError) in
        let appended = try CText.document(text) { (text) throws(DocumentError) in
            try OwnMessage.appended(text, read: collection.client.readMessage)
        }
        return switch appended {
        case .pending(let requestID, let body): .append(requestID: requestID, body: body)
        case .sent(let requestID, let message): .appendSent(requestID: requestID, message)
        }
    }
}

@_cdecl("sm_handle_send_response")
public func sm_handle_send_response(
    _ collection: OpaquePointer?, _ message: UnsafePointer<CChar>?, _ errorCode: Int32, _ callback: ResultCallback?,
    _ userData: UnsafeMutableRawPointer?, _ destroy: DestroyCallback?, _ outRequest: UnsafeMutablePointer<UInt64>?
) -> Int32 {
    let listener = Listener(result: callback, userData: userData, destroy: destroy)
    return request(listener, outRequest, collection, message) { (collection, text) throws(BorderError) in
        let response = try CText.document(text) { (text) throws(DocumentError) in
            try OwnMessage.response(text, errorCode: errorCode, read: collection.client.readMessage)
        }
        return .handleSendResponse(requestID: response.requestID, response.outcome)
    }
}

@_cdecl("sm_update_message")
public func sm_update_message(
    _ collection: OpaquePointer?, _ message: UnsafePointer<CChar>?, _ callback: ResultCallback?,
    _ userData: UnsafeMutableRawPointer?, _ destroy: DestroyCallback?, _ outRequest: UnsafeMutablePointer<UInt64>?
) -> Int32 {
    let listener = Listener(result: callback, userData: userData, destroy: destroy)
    return request(listener, outRequest, collection, message) { (collection, text) throws(BorderError) in
        let edit = try CText.document(text) { (text) throws(DocumentError) in
            try OwnMessage.edit(text, read: collection.client.readMessage)
        }
        return switch edit {
        case .sent(let message): .tellEdit(message)
        case .unsent(let requestID, let body): .update(requestID: requestID, body: body)
        }
    }
}

@_cdecl("sm_delete_message")
public func sm_delete_message(
    _ collection: OpaquePointer?, _ message: UnsafePointer<CChar>?, _ callback: ResultCallback?,
    _ userData: UnsafeMutableRawPointer?, _ destroy: DestroyCallback?, _ outRequest: UnsafeMutablePointer<UInt64>?
) -> Int32 {
    let listener = Listener(result: callback, userData: userData, destroy: destroy)
    return request(listener, outRequest, collection, message, OwnMessage.deletion) { (_, reference) in
        .delete(reference)
    }
}

// MARK: Actions

@_cdecl("sm_call")
public func sm_call(
    _ client: OpaquePointer?, _ text: UnsafePointer<CChar>?, _ callback: ResultCallback?,
    _ userData: UnsafeMutableRawPointer?, _ destroy: DestroyCallback?, _ outRequest: UnsafeMutablePointer<UInt64>?
) -> Int32 {
    request(Listener(result: callback, userData: userData, destroy: destroy), outRequest) { () throws(BorderError) in
        let client = try Registry.client(client)
        let call = try CText.document(try CText.read(text, "request")) { (text) throws(DocumentError) in
            try client.call(for: try ActionCall(text).withAbsolutePath)
        }
        return Request(client, call)
    }
}
