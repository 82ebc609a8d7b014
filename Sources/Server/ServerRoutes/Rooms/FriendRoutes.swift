import ServerBase
import ServerChat
import ServerHTTP
import SyncJSON

/// Requests about a user's friends.
struct FriendRoutes: Routes {
    let context: RouteContext

    /// The user whose friends or address book the request is about, and the body.
    private func owned(_ request: RoutedRequest) throws -> (owner: String, payload: Fields) {
        (try caller(request, as: request["user"]).userID, try request.payload())
    }

    func listFriends(_ request: RoutedRequest) throws -> HTTPResponse {
        let (owner, _) = try owned(request)
        let page = try Page(of: try chat.users.friends(of: owner), request.query)
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("users")
        writer.beginArray()
        for friend in page.items {
            guard let user = try chat.users.find(friend.id) else { continue }
            writer.beginObject()
            UserRoutes(context: context).writeParts(user, &writer, as: friend)
            writer.endObject()
        }
        writer.endArray()
        writer.member("next", page.next)
        writer.endObject()
        return HTTPResponse(writer)
    }

    func addFriends(_ request: RoutedRequest) throws -> HTTPResponse {
        let (owner, payload) = try owned(request)
        guard let ids = try payload.strings("user_ids") else { throw Refusal.missing("user_ids") }
        return UserRoutes(context: context).userList(Page(all: try chat.friends.add(ids, to: owner)))
    }

    func removeFriends(_ request: RoutedRequest) throws -> HTTPResponse {
        let (owner, payload) = try owned(request)
        let named = try payload.strings("user_ids") ?? request.query.choice("user_ids")?.sorted()
        guard let ids = request.value("friend").map({ [$0] }) ?? named else { throw Refusal.missing("user_ids") }
        try chat.friends.remove(ids, of: owner)
        return .empty
    }

    /// Into a user's address book.
    func addDiscoveries(_ request: RoutedRequest) throws -> HTTPResponse {
        let (owner, payload) = try owned(request)
        guard let given = payload["friend_discoveries"]?.array else { throw Refusal.missing("friend_discoveries") }
        guard given.count <= 100 else { throw Refusal.tooMany("friend_discoveries") }
        let entries = try given.map { element in
            guard element.kind == .object else { throw Refusal.notObject("friend_discoveries") }
            let entry = Fields(element)
            return FriendTable.Discovery(
                userID: owner, key: try entry.required("friend_discovery_key"),
                name: try entry.string("friend_name") ?? "")
        }
        try chat.friends.upload(entries, of: owner)
        return .empty
    }

    func removeDiscoveries(_ request: RoutedRequest) throws -> HTTPResponse {
        let (owner, payload) = try owned(request)
        let named = try payload.strings("friend_discovery_keys")
        guard let keys = named ?? request.query.choice("friend_discovery_keys")?.sorted() else {
            throw Refusal.missing("friend_discovery_keys")
        }
        try chat.friends.removeDiscoveries(keys, of: owner)
        return .empty
    }

    func noActionOfFriends(_ request: RoutedRequest) throws -> HTTPResponse {
        _ = try owned(request)
        throw Refusal.noEndpoint()
    }
}
