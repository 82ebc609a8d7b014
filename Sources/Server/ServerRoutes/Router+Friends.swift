import ServerBase
import ServerChat
import ServerHTTP
import SyncJSON

extension Router {
    /// users/{id}/friends[/{friend}]
    func friends(_ request: HTTPRequest, _ id: String, _ single: String?) throws -> HTTPResponse {
        let owner = try caller(request, as: id).userID
        let payload = try request.payload()
        switch (request.method, single) {
        case ("GET", nil):
            let page = try Page(of: try storage.friends(of: owner), request.query)
            var writer = JSONWriter()
            writer.beginObject()
            writer.key("users")
            writer.beginArray()
            for friend in page.items {
                guard let user = try storage.user(friend.id) else { continue }
                writer.beginObject()
                writeParts(user, &writer, as: friend)
                writer.endObject()
            }
            writer.endArray()
            writer.member("next", page.next)
            writer.endObject()
            return HTTPResponse(writer)
        case ("POST", nil):
            guard let ids = try payload.strings("user_ids") else { throw Refusal.missing("user_ids") }
            return userList(Page(all: try chat.addFriends(ids, to: owner)))
        case ("DELETE", _):
            let named = try payload.strings("user_ids") ?? request.query.choice("user_ids")?.sorted()
            guard let ids = single.map({ [$0] }) ?? named else { throw Refusal.missing("user_ids") }
            try chat.removeFriends(ids, of: owner)
            return .empty
        default: throw Refusal.noEndpoint()
        }
    }

    /// users/{id}/friend_discoveries: a user's address book.
    func discoveries(_ request: HTTPRequest, _ id: String) throws -> HTTPResponse {
        let owner = try caller(request, as: id).userID
        let payload = try request.payload()
        switch request.method {
        case "POST":
            guard let given = payload["friend_discoveries"]?.array else { throw Refusal.missing("friend_discoveries") }
            guard given.count <= 100 else { throw Refusal.tooMany("friend_discoveries") }
            let entries = try given.map { element in
                guard element.kind == .object else { throw Refusal.notObject("friend_discoveries") }
                let entry = Fields(element)
                return Storage.Discovery(
                    userID: owner, key: try entry.required("friend_discovery_key"),
                    name: try entry.string("friend_name") ?? "")
            }
            try chat.upload(entries, of: owner)
            return .empty
        case "DELETE":
            let named = try payload.strings("friend_discovery_keys")
            guard let keys = named ?? request.query.choice("friend_discovery_keys")?.sorted() else {
                throw Refusal.missing("friend_discovery_keys")
            }
            try storage.transaction { for key in keys { try storage.removeDiscovery(key, of: owner) } }
            return .empty
        default: throw Refusal.noEndpoint()
        }
    }
}
