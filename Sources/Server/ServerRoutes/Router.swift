import ServerBase
import ServerChat
import ServerHTTP
import SyncBytes
import SyncJSON

/// Answers REST requests: `RouteTable` says which function of which `Routes` takes which request. One thread at a time
/// uses a router.
public final class Router {
    let context: RouteContext
    private let limiter: RateLimiter?
    private var logged: TextSet = []
    /// Told of the keys that each request's handler has read, when the server is strict.
    var onReads: ((Route, _ query: KeyWatch, _ body: KeyWatch) -> Void)?

    /// `limiter` is shared with the sockets; without one, callers are answered as often as they ask.
    public init(chat: Chat, options: RouterOptions, limiter: RateLimiter?) {
        context = RouteContext(chat: chat, options: options)
        self.limiter = limiter
    }

    /// Answers a request in any case: refusals and failures of the server are answers too.
    public func answer(_ request: HTTPRequest) -> HTTPResponse {
        if let wait = limiter?.take(callerKey(request), at: context.chat.now) {
            return .tooMany(limit: limiter?.limit ?? 0, wait: wait)
        }
        do {
            guard context.options.isStrict else {
                let (route, response) = try perform(request)
                for key in unusedKeys(request, route) { logOnce(key, request) }
                return response
            }
            return try context.chat.atomically {
                let (route, response) = try perform(request)
                if let key = unusedKeys(request, route).first {
                    throw Refusal.invalid(key, "nothing here reads it")
                }
                return response
            }
        } catch let error as Refusal {
            guard error.code == Refusal.noEndpointCode else { return HTTPResponse(error) }
            let path = String(request.target.raw.prefix { $0 != "?" }.prefix(300))
            return HTTPResponse(
                Refusal(
                    error.code, "\(request.method) \(path) is not served by syncmanager-server.", status: 404))
        } catch {
            Log.failure("\(request.method) \(request.target.raw) failed", error)
            return HTTPResponse(Refusal(500_901, "Internal error.", status: 500))
        }
    }

    private func perform(_ request: HTTPRequest) throws -> (route: Route, HTTPResponse) {
        let routed = try RouteTable.find(request)
        guard context.options.isStrict else { return (routed.route, try handle(routed)) }
        let reads = routed.watch()
        let result = Result { try handle(routed) }
        onReads?(routed.route, reads.query, reads.body)
        let strays = reads.query.strays.union(reads.body.strays)
        if let key = strays.sorted().first { throw UndeclaredKey(route: routed.route, key: key) }
        return (routed.route, try result.get())
    }

    private func handle(_ request: RoutedRequest) throws -> HTTPResponse {
        try OwnVotes(context: context).adding(to: try request.route.handler(context, request), request)
    }

    // MARK: Keys without effect

    /// Keys that chat clients send with all requests of a topic, whether they have an effect there or not: parts of
    /// messages with changes and single messages, questions about channels of other kinds, the parts of a login. A
    /// program of the administration means each key that it sends.
    private static let harmless: TextMap<TextSet> = [
        "messages": [
            "is_sdk", "show_subchannel_messages_only", "include_parent_message_text", "include_replies",
            "include_reply_type", "checking_has_next", "checking_continuous_messages",
        ],
        "channels": [
            "is_explicit_request", "is_feed_channel", "include_chat_notification", "is_ephemeral", "show_conversation",
            "show_member", "show_member_is_muted", "show_read_receipt", "show_delivery_receipt", "show_metadata",
            "include_sorted_metaarray_in_last_message",
        ],
        "login": ["userId", "app_id", "services", "include_logi", "include_extra_data", "config_ts"],
    ]

    private static func isHarmless(_ key: String, _ request: HTTPRequest) -> Bool {
        guard (request.header("Api-Token") ?? "").isEmpty else { return false }
        // A user may give its own id, which says nothing new.
        if key == "user_id" { return true }
        let path = request.target.segments
        let topic =
            if path.contains("login") || path.contains("session_key") {
                "login"
            } else if path.contains("messages") || path.contains("messages_gap") {
                "messages"
            } else {
                "channels"
            }
        return harmless[topic]?.contains(key) ?? false
    }

    private func unusedKeys(_ request: HTTPRequest, _ route: Route) -> [String] {
        let query = request.query.unusedKeys.filter { !route.query.ignored.contains($0) }
        let body = request.form.unusedKeys.filter { !route.body.ignored.contains($0) }
        return (query + body).filter { !Router.isHarmless($0, request) }
    }

    /// Logs, once for each kind of request, that a key had no effect.
    private func logOnce(_ key: String, _ request: HTTPRequest) {
        let path = request.target.segments
        // The words of a path, without the names between them.
        let kind = stride(from: 1, to: path.count, by: 2).map { path[$0] }.joined(separator: "/…/")
        let line = "\(request.method) \(kind): nobody reads the key \"\(key)\""
        guard logged.count < 1000, logged.insert(line) else { return }
        Log.line(line)
    }

    private func callerKey(_ request: HTTPRequest) -> String {
        request.header("Api-Token") ?? request.header("Session-Key") ?? ""
    }
}
