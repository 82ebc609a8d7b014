import ServerBase
import ServerHTTP
import SyncBytes
import SyncJSON
import SyncTree
import SyncWebSocket

/// The realtime database beside the chat: Firebase Realtime Database's REST and event streams.
///
/// Every write is one transaction and then its events: nobody hears of something that is not stored. A tree stays in
/// memory as a whole once it was asked for; the storage has its leaves.
public final class DatabaseService {
    private let store: any TreeStore
    private let accounts: any SessionAccounts
    private let clock: Clock
    private let timers: TimerQueue
    private let random: RandomSource
    private let options: DatabaseOptions
    private var instances: TextMap<DatabaseInstance> = [:]
    private var ids = PushIDs()
    private var streams: [DatabaseStream] = []
    private var isKeepingAlive = false
    /// Whether streams go silent without an end, as a test wants it.
    public var isSilent = false { didSet { for stream in streams { stream.isSilent = isSilent } } }

    public init(
        store: any TreeStore, accounts: any SessionAccounts, clock: Clock, timers: TimerQueue, random: RandomSource,
        options: DatabaseOptions
    ) {
        self.store = store
        self.accounts = accounts
        self.clock = clock
        self.timers = timers
        self.random = random
        self.options = options
    }

    /// Who listens: to which instance, and where in it.
    public var listeners: [(name: String, path: TreePath)] { streams.map { ($0.instance.name, $0.path) } }

    // MARK: Requests

    /// Answers a request.
    public func answer(_ request: HTTPRequest) -> HTTPAnswer {
        do {
            let (call, authority) = try take(request)
            if call.wantsStream, case .data(let path) = call.target {
                return try listen(call, path, authority)
            }
            return .response(try answer(call, authority))
        } catch {
            return .response(refusal(error, request))
        }
    }

    /// Answers a request at once and as a whole; of a stream this is its first event.
    public func wholeAnswer(_ request: HTTPRequest) -> HTTPResponse {
        do {
            let (call, authority) = try take(request)
            if call.wantsStream, case .data(let path) = call.target {
                return .events(try firstEvent(call, path, authority))
            }
            return try answer(call, authority)
        } catch {
            return refusal(error, request)
        }
    }

    private func take(_ request: HTTPRequest) throws -> (DatabaseCall, DatabaseAuthority) {
        let call = try DatabaseCall(request)
        let authority = try DatabaseAuthority(request, accounts, apiToken: options.apiToken)
        if options.isStrict, let key = request.query.unusedKeys.first {
            throw DatabaseRefusal.parameter(key, "nothing here reads it")
        }
        return (call, authority)
    }

    private func answer(_ call: DatabaseCall, _ authority: DatabaseAuthority) throws -> HTTPResponse {
        switch call.target {
        case .rules: try rules(call, authority)
        case .data(let path): try data(call, path, authority)
        }
    }

    private func refusal(_ error: any Error, _ request: HTTPRequest) -> HTTPResponse {
        switch error {
        case let error as DatabaseRefusal: return error.response
        case let error as TreeError: return DatabaseRefusal(error).response
        default:
            Log.failure("\(request.method) \(request.target.raw) failed", error)
            return DatabaseRefusal(500, "Internal error.").response
        }
    }

    private func data(_ call: DatabaseCall, _ path: TreePath, _ authority: DatabaseAuthority) throws -> HTTPResponse {
        let instance = try instance(call.name)
        switch call.method {
        case .get: return try read(call, path, instance, authority)
        case .put, .delete: return try set(call, path, instance, authority)
        case .post:
            let id = ids.next(at: clock.now()) { random.bytes(PushIDs.randomCount) }
            guard let key = TreeKey(id) else { throw DatabaseRefusal(500, "Internal error.") }
            let place = path + key
            guard place.keys.count <= TreePath.depthLimit else { throw TreeError(.depth) }
            let node =
                call.body.isEmpty ? .empty : try TreeReader.value(call.body, at: place, time: clock.now())
            try write(
                DatabaseChange(
                    base: place, writes: [TreeWrite(path: TreePath(), node: node)], isUpdate: false,
                    before: instance.root), instance, authority)
            var response = self.response(call, Array("{\"name\":\"\(id)\"}".utf8), etag: nil)
            if call.wantsETag, mayRead([place], instance, authority) {
                response.headers.append(("ETag", DatabaseService.etag(node)))
            }
            return response
        case .patch:
            let writes = try TreeReader.update(call.body, at: path, time: clock.now(), existing: instance.root[path])
            try write(
                DatabaseChange(base: path, writes: writes, isUpdate: true, before: instance.root), instance, authority)
            guard mayRead(writes.map { path + $0.path }, instance, authority) else { return echo(call) }
            var writer = JSONWriter()
            writer.members(writes, call.format)
            return response(call, writer.bytes, etag: nil)
        }
    }

    /// Sets or deletes a value; with a tag, only if it is the one that the tag names.
    private func set(
        _ call: DatabaseCall, _ path: TreePath, _ instance: DatabaseInstance, _ authority: DatabaseAuthority
    ) throws -> HTTPResponse {
        if let tag = call.ifMatch {
            // A refusal has the value in it, so the sender must be allowed to read it.
            try allow(.read, path, instance, authority)
            let present = instance.root[path]
            if !DatabaseService.etag(present).isByteEqual(to: tag) {
                return response(call, present, etag: true, status: 412)
            }
        }
        var node = TreeNode.empty
        if call.method == .put {
            node = try TreeReader.value(call.body, at: path, time: clock.now(), existing: instance.root[path])
        }
        try write(
            DatabaseChange(
                base: path, writes: [TreeWrite(path: TreePath(), node: node)], isUpdate: false,
                before: instance.root), instance, authority)
        guard mayRead([path], instance, authority) else { return echo(call) }
        return response(call, node, etag: call.wantsETag || call.ifMatch != nil)
    }

    /// The answer to a write whose sender may not read the place: the value that was sent, and no ETag. The sum of an
    /// increment would tell what was there before, and so would its ETag.
    private func echo(_ call: DatabaseCall) -> HTTPResponse {
        response(call, call.method == .delete ? Array("null".utf8) : call.body, etag: nil)
    }

    private func read(
        _ call: DatabaseCall, _ path: TreePath, _ instance: DatabaseInstance, _ authority: DatabaseAuthority
    ) throws -> HTTPResponse {
        try allow(.read, path, instance, authority)
        let present = instance.root[path]
        if let query = call.query {
            try requireIndex(query, path, instance)
            guard present.hasChildren else { return response(call, TreeNode.empty, etag: false) }
            let found = query.window(of: present)
            // A query that finds nothing among children gives an object without members, not null.
            return found.isEmpty ? response(call, Array("{}".utf8), etag: nil) : response(call, found, etag: false)
        }
        let wantsETag = call.wantsETag || call.ifNoneMatch != nil
        if let tag = call.ifNoneMatch, tag.isByteEqual(to: DatabaseService.etag(present)) {
            return HTTPResponse(status: 304, body: [], headers: [("ETag", tag)])
        }
        if call.isShallow { return shallow(call, present, etag: wantsETag) }
        return response(call, present, etag: wantsETag)
    }

    // MARK: Rules

    private func rules(_ call: DatabaseCall, _ authority: DatabaseAuthority) throws -> HTTPResponse {
        guard authority.isAdministrator else { throw DatabaseRefusal.denied }
        let instance = try instance(call.name)
        switch call.method {
        case .get: return response(call, instance.rulesText, etag: nil)
        case .put:
            let rules = try SecurityRules(call.body)
            let text = try JSON.parse(call.body).serialized()
            try store.saveRules(instance.name, text)
            instances[instance.name] = instance
            instance.set(rules, text: text)
            review()
            return HTTPResponse(body: Array(#"{"status":"ok"}"#.utf8))
        case .post, .patch, .delete: throw DatabaseRefusal(405, "GET or PUT is expected")
        }
    }

    private func allow(
        _ kind: SecurityRules.Kind, _ path: TreePath, _ instance: DatabaseInstance, _ authority: DatabaseAuthority,
        after: TreeNode? = nil
    ) throws {
        guard !authority.isAdministrator else { return }
        let scope = RuleScope(auth: authority.auth, root: instance.root, after: after, now: clock.now())
        guard instance.rules.allow(kind, path, scope) else { throw DatabaseRefusal.denied }
    }

    private func mayRead(_ paths: [TreePath], _ instance: DatabaseInstance, _ authority: DatabaseAuthority) -> Bool {
        guard !authority.isAdministrator else { return true }
        let scope = RuleScope(auth: authority.auth, root: instance.root, after: nil, now: clock.now())
        return paths.allSatisfy { instance.rules.allow(.read, $0, scope) }
    }

    private func requireIndex(_ query: TreeQuery, _ path: TreePath, _ instance: DatabaseInstance) throws {
        let wanted: String
        switch query.order {
        case .key, .priority: return
        case .value: wanted = ".value"
        case .child(let child): wanted = child.text.droppingBytes(first: 1)
        }
        guard !instance.rules.hasIndex(wanted, at: path) else { return }
        throw DatabaseRefusal(
            400, "Index not defined, add \".indexOn\": \"\(wanted)\", for path \"\(path.text)\", to the rules")
    }

    // MARK: Writing

    private func write(_ change: DatabaseChange, _ instance: DatabaseInstance, _ authority: DatabaseAuthority) throws {
        for write in change.writes {
            try allow(.write, change.base + write.path, instance, authority, after: change.after)
        }
        try store.transaction {
            for write in change.writes {
                try store.saveTree(instance.name, change.base + write.path, in: change.after)
            }
        }
        instances[instance.name] = instance
        instance.root = change.after
        for stream in streams where stream.instance === instance { stream.changed(change) }
        // Whether a stream is allowed may depend on data that this write has changed.
        if instance.rules.readsData { review() }
    }

    /// The instance with a name. One that nobody has written to is made, but not kept.
    private func instance(_ name: String) throws -> DatabaseInstance {
        if let known = instances[name] { return known }
        // A stream keeps the instance that it listens to.
        if let heard = streams.first(where: { $0.instance.name.isByteEqual(to: name) }) { return heard.instance }
        guard let stored = try store.tree(name) else { return try DatabaseInstance(name: name) }
        let loaded = try DatabaseInstance(
            name: name, root: stored.root, rulesText: stored.rules ?? DatabaseInstance.openRules)
        instances[name] = loaded
        return loaded
    }

    // MARK: Streams

    private func firstEvent(
        _ call: DatabaseCall, _ path: TreePath, _ authority: DatabaseAuthority
    ) throws -> [UInt8] {
        let instance = try listened(call, path, authority)
        let value = call.query?.window(of: instance.root[path]) ?? instance.root[path]
        return DatabaseStream.event("put", TreePath(), value, call.format)
    }

    /// The instance, if the rules let the caller listen to the place.
    private func listened(
        _ call: DatabaseCall, _ path: TreePath, _ authority: DatabaseAuthority
    ) throws -> DatabaseInstance {
        let instance = try instance(call.name)
        try allow(.read, path, instance, authority)
        if let query = call.query { try requireIndex(query, path, instance) }
        return instance
    }

    private func listen(
        _ call: DatabaseCall, _ path: TreePath, _ authority: DatabaseAuthority
    ) throws -> HTTPAnswer {
        _ = try listened(call, path, authority)
        return .stream(.events([])) { [weak self] link in
            // There may have been a delay: others may have made the instance meanwhile, or changed its rules.
            guard let self, let instance = try? listened(call, path, authority) else { return link.drop() }
            let stream = DatabaseStream(instance, path, call.query, call.format, authority, link)
            stream.isSilent = isSilent
            streams.append(stream)
            link.onClose { [weak self, weak stream] in self?.streams.removeAll { $0 === stream } }
            stream.begin()
            keepAlive()
            reviewAtExpiry(of: authority)
        }
    }

    private func keepAlive() {
        guard !isKeepingAlive, !streams.isEmpty else { return }
        isKeepingAlive = true
        timers.after(options.keepAlive) { [weak self] in
            guard let self else { return }
            isKeepingAlive = false
            for stream in streams { stream.keepAlive() }
            keepAlive()
        }
    }

    /// Reviews the streams when this session key runs out.
    private func reviewAtExpiry(of authority: DatabaseAuthority) {
        guard let key = authority.sessionKey else { return }
        do {
            guard let expiry = try accounts.expiry(ofSession: key), expiry > 0 else { return }
            timers.after(expiry &- clock.now()) { [weak self] in self?.review() }
        } catch {
            Log.failure("the expiry of a session key was not read", error)
        }
    }

    /// Ends the streams whose credentials do not hold any more, or that the rules do not let read.
    public func review() {
        for stream in streams {
            if !stream.authority.isValid(accounts) {
                end(stream) { $0.revoke() }
            } else if (try? allow(.read, stream.path, stream.instance, stream.authority)) == nil {
                end(stream) { $0.cancel() }
            }
        }
    }

    /// Breaks the connections of streams, of one instance and place if they are named; returns how many.
    public func dropStreams(name: String?, path: TreePath?) -> Int {
        let dropped = streams.filter { stream in
            (name.map { $0.isByteEqual(to: stream.instance.name) } ?? true) && (path.map { $0 == stream.path } ?? true)
        }
        for stream in dropped { end(stream) { $0.drop() } }
        return dropped.count
    }

    private func end(_ stream: DatabaseStream, _ how: (DatabaseStream) -> Void) {
        streams.removeAll { $0 === stream }
        how(stream)
    }

    /// Ends every stream, since the server stops.
    public func stop() {
        for stream in streams { end(stream) { $0.end() } }
    }

    // MARK: Answers

    /// The ETag of a value: the same for equal values, another one for a different value.
    static func etag(_ node: TreeNode) -> String {
        node.isEmpty ? "null_etag" : Base64.encode(SHA1.digest(node.json(.export)))
    }

    private func response(_ call: DatabaseCall, _ node: TreeNode, etag: Bool, status: Int = 200) -> HTTPResponse {
        response(
            call, node.json(call.format), etag: etag ? DatabaseService.etag(node) : nil,
            status: status)
    }

    private func shallow(_ call: DatabaseCall, _ node: TreeNode, etag: Bool) -> HTTPResponse {
        // In the format `export`, since a list of names must not become an array.
        response(call, node.shallow().json(.export), etag: etag ? DatabaseService.etag(node) : nil)
    }

    private func response(_ call: DatabaseCall, _ json: [UInt8], etag: String?, status: Int = 200) -> HTTPResponse {
        var response = HTTPResponse(status: status, body: json)
        if let etag { response.headers.append(("ETag", etag)) }
        if let name = call.download {
            response.headers.append(("Content-Disposition", "attachment; filename=\"\(name)\""))
        }
        switch call.print {
        case .compact: break
        case .pretty: response.body = PrettyJSON.text(json)
        case .silent where status == 200:
            response.status = 204
            response.body = []
        case .silent: break
        }
        if let callback = call.callback, call.method == .get {
            response.contentType = "application/javascript; charset=utf-8"
            response.body = Array("/**/\(callback)(".utf8) + response.body + Array(");".utf8)
        }
        return response
    }
}
