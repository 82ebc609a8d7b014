import ServerBase
import ServerChat
import ServerHTTP
import SyncJSON

/// A message's copy of a poll is the same for all. What a user is told of it has the user's own votes in it.
struct OwnVotes: Routes {
    let context: RouteContext

    /// An answer as this user gets it: with its own votes in every poll, wherever one stands.
    func adding(to response: HTTPResponse, _ request: RoutedRequest) throws -> HTTPResponse {
        // Nearly all answers have none; those are not taken apart.
        guard response.status == 200, response.body.withUnsafeBytes({ JSONSlice.has("\"poll\":{", in: $0) }),
            let user = try? caller(request).userID, !user.isEmpty, let root = try? JSON.parse(response.body)
        else { return response }
        try add(of: user, in: root)
        var response = response
        response.body = root.serialized()
        return response
    }

    private func add(of user: String, in json: JSON) throws {
        for element in json.array ?? [] { try add(of: user, in: element) }
        // What a client wrote by itself stays as it is.
        for (key, value) in json.members ?? [] where !key.isByteEqual(to: "extended_message_payload") {
            if key.isByteEqual(to: "poll"), value.kind == .object {
                try add(of: user, toPoll: value)
            } else {
                try add(of: user, in: value)
            }
        }
    }

    /// A short poll says nothing of votes.
    func add(of user: String, toPoll poll: JSON) throws {
        guard let id = poll["id"]?.int, poll["options"] != nil else { return }
        poll.set("voted_option_ids", .array(try chat.contents.votes(of: user, in: id).map { .int($0) }))
    }
}
