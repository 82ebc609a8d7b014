import ServerBase
import ServerChat
import ServerHTTP
import SyncBytes

/// What requests are answered with: the chat, and what the routes go by besides its options.
///
/// One thread at a time uses it. It is `Sendable` because Swift asks for it of a type whose methods stand in a table as
/// functions.
struct RouteContext: @unchecked Sendable {
    let chat: Chat
    let options: RouterOptions
}

/// The requests of one topic: `RouteTable` says which function answers which of them. One is made for each request.
protocol Routes: Sendable {
    var context: RouteContext { get }

    init(context: RouteContext)
}

extension Routes {
    var chat: Chat { context.chat }
    var options: RouterOptions { context.options }

    /// The channel that the path names.
    func channel(_ request: RoutedRequest) throws -> ChannelRow { try chat.channel(request["url"]) }

    /// The channel that the path names, the body, and the user that the body or the query names.
    func membership(_ request: RoutedRequest) throws -> (channel: ChannelRow, payload: Fields, named: String?) {
        let channel = try channel(request)
        let payload = try request.payload()
        return (channel, payload, try payload.string("user_id") ?? request.query["user_id"])
    }

    /// Who asks: the administration by its token, or the user of a session key.
    func caller(_ request: RoutedRequest) throws -> Caller {
        if let token = request.header("Api-Token"), !token.isEmpty {
            guard token.isByteEqual(to: options.apiToken) else {
                throw Refusal(400_401, "The API token is not valid.", status: 401)
            }
            return Caller(userID: "", isAdmin: true)
        }
        guard let key = request.header("Session-Key") ?? request.header("SESSION-KEY"), !key.isEmpty else {
            throw Refusal(400_402, "A session key or an API token is missing.", status: 401)
        }
        let decoded = PercentEncoding.decode(key.utf8, plusIsSpace: false)
        return Caller(userID: try chat.sessions.user(ofSession: decoded).id)
    }

    /// The caller as the user that a body or path names: the administration acts for anybody, a user for itself.
    func caller(_ request: RoutedRequest, as userID: String?) throws -> Caller {
        let caller = try caller(request)
        guard let userID, !userID.isEmpty else { return caller }
        if caller.isAdmin { return Caller(userID: try chat.activeUser(userID).id, isAdmin: true) }
        guard caller.userID.isByteEqual(to: userID) else { throw Refusal.unauthorized("a user acts for itself") }
        return caller
    }

    func administrator(_ request: RoutedRequest) throws {
        guard try caller(request).isAdmin else { throw Refusal.unauthorized("an API token is needed") }
    }

    func channelResponse(
        _ channel: ChannelRow, _ caller: Caller, _ query: RequestQuery, extra: KeyValuePairs<StaticString, Bool> = [:]
    ) throws -> HTTPResponse {
        let view = try ChannelView(chat, viewer: caller.userID, parts: ChannelView.Parts(query))
        return HTTPResponse(body: try view.document(channel, extra: extra))
    }
}
