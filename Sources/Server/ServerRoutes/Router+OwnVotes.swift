import ServerBase
import ServerChat
import ServerHTTP
import SyncJSON

// A message's copy of a poll is the same for all. What a user is told of it has the user's own votes in it.
extension Router {
    /// An answer as this user gets it: with its own votes in every poll, wherever one stands.
    func addingOwnVotes(to response: HTTPResponse, _ request: RoutedRequest) throws -> HTTPResponse {
        // Nearly all answers have none; those are not taken apart.
        guard response.status == 200, response.body.withUnsafeBytes({ JSONSlice.has("\"poll\":{", in: $0) }),
            let user = try? caller(request).userID, !user.isEmpty, let root = try? JSON.parse(response.body)
        else { return response }
        try addOwnVotes(of: user, in: root)
        var response = response
        response.body = root.serialized()
        return response
    }

    private func addOwnVotes(of user: String, in json: JSON) throws {
        for element in json.array ?? [] { try addOwnVotes(of: user, in: element) }
        // What a client wrote by itself stays as it is.
        for (key, value) in json.members ?? [] where !key.isByteEqual(to: "extended_message_payload") {
            if key.isByteEqual(to: "poll"), value.kind == .object {
                try addOwnVotes(of: user, toPoll: value)
            } else {
                try addOwnVotes(of: user, in: value)
            }
        }
    }

    /// A short poll says nothing of votes.
    func addOwnVotes(of user: String, toPoll poll: JSON) throws {
        guard let id = poll["id"]?.int, poll["options"] != nil else { return }
        poll.set("voted_option_ids", .array(try chat.contents.votes(of: user, in: id).map { .int($0) }))
    }
}
