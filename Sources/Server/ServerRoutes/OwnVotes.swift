import ServerBase
import ServerChat
import ServerHTTP
import SyncJSON

/// A message's copy of a poll is the same for all users. In answers to a user, the user's own votes are added to it.
struct OwnVotes: Routes {
    let context: RouteContext

    /// The answer as this user gets it: with the user's own votes in every poll, wherever in the answer it is.
    func adding(to response: HTTPResponse, _ request: RoutedRequest) throws -> HTTPResponse {
        // Nearly all answers have no poll; these are not parsed.
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
        // Data that clients put into a message stays as it is.
        for (key, value) in json.members ?? [] where !key.isByteEqual(to: "extended_message_payload") {
            if key.isByteEqual(to: "poll"), value.kind == .object {
                try add(of: user, toPoll: value)
            } else {
                try add(of: user, in: value)
            }
        }
    }

    /// Adds the user's votes to a poll. A short poll gets none.
    func add(of user: String, toPoll poll: JSON) throws {
        guard let id = poll["id"]?.int, poll["options"] != nil else { return }
        poll.set("voted_option_ids", .array(try chat.contents.votes(of: user, in: id).map { .int($0) }))
    }
}
