import CSyncManager
import SyncEngine
import SyncModel

// The exported functions about collections, in the header's order; the header says what each promises.

@_cdecl("sm_channel_collection_new")
public func sm_channel_collection_new(
    _ client: OpaquePointer?, _ query: UnsafePointer<CChar>?, _ out: UnsafeMutablePointer<OpaquePointer?>?
) -> Int32 {
    call { () throws(BorderError) in
        let client = try Registry.client(client)
        guard let out else { throw BorderError(.invalidArgument, "out is NULL") }
        let text = query == nil ? Array("{}".utf8) : try CText.read(query, "query")
        let parsed = try CText.document(text, Criteria.query)
        let id = client.nextCollectionID()
        let lists = DeliveredLists(CollectionInfo(channels: id, parsed), channelURL: nil, criteria: text)
        try client.open(lists, .openChannelCollection(id: id, query: parsed))
        out.pointee = try Registry.add(collection: CollectionHandle(client: client, id: id, isMessages: false))
    }
}

/// The checked arguments of both functions that open a message collection.
private struct NewMessages {
    let url: ChannelURL
    let filter: MessageFilter
    let viewpoint: Int64
    let lists: DeliveredLists
    let handle: CollectionHandle

    init(
        _ client: Client, _ channelURL: UnsafePointer<CChar>?, _ filter: UnsafePointer<CChar>?, _ viewpoint: Int64
    ) throws(BorderError) {
        url = ChannelURL(try CText.readString(channelURL, "channel_url"))
        guard !url.isEmpty else { throw BorderError(.invalidArgument, "channel_url is empty") }
        guard viewpoint >= 0 else { throw BorderError(.invalidArgument, "viewpoint is negative") }
        self.viewpoint = viewpoint
        let text = filter == nil ? Array("{}".utf8) : try CText.read(filter, "filter")
        self.filter = try CText.document(text, Criteria.filter)
        let id = client.nextCollectionID()
        lists = DeliveredLists(
            CollectionInfo(messages: id, self.filter, viewpoint: viewpoint), channelURL: url, criteria: text)
        handle = CollectionHandle(client: client, id: id, isMessages: true, parentID: self.filter.parentID)
    }
}

@_cdecl("sm_message_collection_new")
public func sm_message_collection_new(
    _ client: OpaquePointer?, _ channelURL: UnsafePointer<CChar>?, _ filter: UnsafePointer<CChar>?, _ viewpoint: Int64,
    _ out: UnsafeMutablePointer<OpaquePointer?>?
) -> Int32 {
    call { () throws(BorderError) in
        let client = try Registry.client(client)
        guard let out else { throw BorderError(.invalidArgument, "out is NULL") }
        let new = try NewMessages(client, channelURL, filter, viewpoint)
        try client.open(
            new.lists,
            .openMessageCollection(
                id: new.handle.id, channelURL: new.url, filter: new.filter, viewpoint: new.viewpoint))
        out.pointee = try Registry.add(collection: new.handle)
    }
}

@_cdecl("sm_message_collection_open")
public func sm_message_collection_open(
    _ client: OpaquePointer?, _ channelURL: UnsafePointer<CChar>?, _ filter: UnsafePointer<CChar>?, _ viewpoint: Int64,
    _ callback: ResultCallback?, _ userData: UnsafeMutableRawPointer?, _ destroy: DestroyCallback?,
    _ outRequest: UnsafeMutablePointer<UInt64>?, _ out: UnsafeMutablePointer<OpaquePointer?>?
) -> Int32 {
    var made: (handle: CollectionHandle, pointer: OpaquePointer?)?
    let listener = Listener(result: callback, userData: userData, destroy: destroy)
    let code = request(listener, outRequest) { () throws(BorderError) in
        let client = try Registry.client(client)
        guard out != nil else { throw BorderError(.invalidArgument, "out is NULL") }
        let new = try NewMessages(client, channelURL, filter, viewpoint)
        made = (new.handle, try Registry.add(collection: new.handle))
        client.queue.addCollection(new.lists)
        return Request(
            client,
            .openCached(id: new.handle.id, channelURL: new.url, filter: new.filter, viewpoint: new.viewpoint))
    }
    guard let made else { return code }
    if code == 0 {
        out?.pointee = made.pointer
    } else {
        if let pointer = made.pointer { Registry.remove(pointer) }
        made.handle.client.queue.removeCollection(made.handle.id)
    }
    return code
}

@_cdecl("sm_search_collection_new")
public func sm_search_collection_new(
    _ client: OpaquePointer?, _ query: UnsafePointer<CChar>?, _ out: UnsafeMutablePointer<OpaquePointer?>?
) -> Int32 {
    call { () throws(BorderError) in
        let client = try Registry.client(client)
        guard let out else { throw BorderError(.invalidArgument, "out is NULL") }
        try client.checkOpen()
        guard client.searches else {
            throw BorderError(.invalidArgument, "this client does not search: its configuration lacks \"search\": true")
        }
        let text = try CText.read(query, "query")
        let parsed = try CText.document(text, Criteria.search)
        let id = client.nextCollectionID()
        let info = CollectionInfo(list: id, limit: parsed.limit)
        let lists = DeliveredLists(info, channelURL: nil, criteria: text, isSearch: true)
        try client.open(lists, .openSearchCollection(id: id, query: parsed))
        out.pointee = try Registry.add(collection: CollectionHandle(client: client, id: id, isMessages: false))
    }
}

@_cdecl("sm_collection_number")
public func sm_collection_number(_ collection: OpaquePointer?) -> UInt64 {
    do throws(BorderError) { return try Registry.collection(collection).id.number } catch { return 0 }
}

@_cdecl("sm_collection_set_callback")
public func sm_collection_set_callback(
    _ collection: OpaquePointer?, _ callback: EventCallback?, _ userData: UnsafeMutableRawPointer?,
    _ destroy: DestroyCallback?
) -> Int32 {
    listen(Listener(event: callback, userData: userData, destroy: destroy)) { (listener) throws(BorderError) in
        let collection = try Registry.collection(collection)
        try collection.client.checkOpen()
        try collection.client.queue.setListener(listener, collection: collection.id)
    }
}

@_cdecl("sm_fetch")
public func sm_fetch(
    _ collection: OpaquePointer?, _ direction: Int32, _ callback: ResultCallback?,
    _ userData: UnsafeMutableRawPointer?, _ destroy: DestroyCallback?, _ outRequest: UnsafeMutablePointer<UInt64>?
) -> Int32 {
    request(Listener(result: callback, userData: userData, destroy: destroy), outRequest) { () throws(BorderError) in
        let collection = try Registry.collection(collection)
        try collection.checkNoStream()
        let wanted: PageDirection
        switch direction {
        case Int32(SM_NEXT): wanted = .next
        case Int32(SM_PREVIOUS) where collection.isMessages: wanted = .previous
        default: throw BorderError(.invalidArgument, "direction must be SM_NEXT, or SM_PREVIOUS for messages")
        }
        let key = CallTable.FetchKey(collection: collection.id, direction: wanted)
        return Request(collection.client, fetch: key, .fetch(collection: collection.id, direction: wanted))
    }
}

@_cdecl("sm_fetch_all_next")
public func sm_fetch_all_next(
    _ collection: OpaquePointer?, _ callback: ResultCallback?, _ userData: UnsafeMutableRawPointer?,
    _ destroy: DestroyCallback?, _ outRequest: UnsafeMutablePointer<UInt64>?
) -> Int32 {
    request(Listener(result: callback, userData: userData, destroy: destroy), outRequest) { () throws(BorderError) in
        let collection = try Registry.collection(collection)
        try collection.checkMessages()
        let key = CallTable.FetchKey(collection: collection.id, direction: .next)
        return Request(collection.client, fetch: key, .fetchAllNext(collection: collection.id))
    }
}

@_cdecl("sm_fetch_failed")
public func sm_fetch_failed(
    _ collection: OpaquePointer?, _ callback: ResultCallback?, _ userData: UnsafeMutableRawPointer?,
    _ destroy: DestroyCallback?, _ outRequest: UnsafeMutablePointer<UInt64>?
) -> Int32 {
    let listener = Listener(result: callback, userData: userData, destroy: destroy)
    return ask(collection, listener, outRequest, HostCall.fetchFailed)
}

@_cdecl("sm_fetch_pending")
public func sm_fetch_pending(
    _ collection: OpaquePointer?, _ callback: ResultCallback?, _ userData: UnsafeMutableRawPointer?,
    _ destroy: DestroyCallback?, _ outRequest: UnsafeMutablePointer<UInt64>?
) -> Int32 {
    let listener = Listener(result: callback, userData: userData, destroy: destroy)
    return ask(collection, listener, outRequest, HostCall.fetchPending)
}

@_cdecl("sm_collection_start")
public func sm_collection_start(
    _ collection: OpaquePointer?, _ callback: ResultCallback?, _ userData: UnsafeMutableRawPointer?,
    _ destroy: DestroyCallback?, _ outRequest: UnsafeMutablePointer<UInt64>?
) -> Int32 {
    let listener = Listener(result: callback, userData: userData, destroy: destroy)
    return ask(collection, listener, outRequest, isStart: true, HostCall.start)
}

/// A call on a message collection which needs only the collection's number.
private func ask(
    _ collection: OpaquePointer?, _ listener: Listener, _ outRequest: UnsafeMutablePointer<UInt64>?,
    isStart: Bool = false, _ call: (_ collection: CollectionID) -> HostCall
) -> Int32 {
    request(listener, outRequest) { () throws(BorderError) in
        let collection = try Registry.collection(collection)
        try collection.checkMessages()
        let key = isStart ? CallTable.FetchKey(collection: collection.id, direction: nil) : nil
        return Request(collection.client, fetch: key, call(collection.id))
    }
}

@_cdecl("sm_reset_viewpoint")
public func sm_reset_viewpoint(_ collection: OpaquePointer?, _ viewpoint: Int64) -> Int32 {
    call { () throws(BorderError) in
        let collection = try Registry.collection(collection)
        try collection.checkMessages()
        guard viewpoint >= 0 else { throw BorderError(.invalidArgument, "viewpoint is negative") }
        try collection.client.post(.resetViewpoint(collection: collection.id, viewpoint: viewpoint))
    }
}

@_cdecl("sm_collection_info")
public func sm_collection_info(
    _ collection: OpaquePointer?, _ out: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> Int32 {
    describe(collection, out) { $0.client.queue.info(of: $0.id) }
}

@_cdecl("sm_collection_snapshot")
public func sm_collection_snapshot(
    _ collection: OpaquePointer?, _ out: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> Int32 {
    describe(collection, out) { $0.client.queue.snapshot(of: $0.id) }
}

private func describe(
    _ collection: OpaquePointer?, _ out: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
    _ body: (CollectionHandle) -> [UInt8]?
) -> Int32 {
    call { () throws(BorderError) in
        let collection = try Registry.collection(collection)
        guard let out else { throw BorderError(.invalidArgument, "out_json is NULL") }
        try collection.client.checkOpen()
        guard let bytes = body(collection) else { throw BorderError(.invalidHandle, "the collection was removed") }
        out.pointee = CText.copy(bytes)
    }
}

@_cdecl("sm_collection_contains")
public func sm_collection_contains(_ collection: OpaquePointer?, _ id: UnsafePointer<CChar>?) -> Int32 {
    status { () throws(BorderError) -> Int32 in
        let collection = try Registry.collection(collection)
        let id = try CText.readString(id, "id")
        try collection.client.checkOpen()
        guard let isThere = collection.client.queue.contains(id, in: collection.id) else {
            throw BorderError(.invalidHandle, "the collection was removed")
        }
        return isThere ? 1 : 0
    }
}

@_cdecl("sm_collection_remove")
public func sm_collection_remove(_ collection: OpaquePointer?) {
    guard let collection else { return }
    _ = call { () throws(BorderError) in
        let removed = try Registry.collection(collection)
        Registry.remove(collection)
        removed.client.queue.removeCollection(removed.id)
        try removed.client.post(.removeCollection(id: removed.id))
    }
}
