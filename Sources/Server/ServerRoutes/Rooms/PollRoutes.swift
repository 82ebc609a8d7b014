import ServerBase
import ServerChat
import ServerHTTP
import SyncJSON

/// Requests about polls, their options and votes.
struct PollRoutes: Routes {
    let context: RouteContext

    /// Who asks about polls, and with what.
    private func pollCaller(_ request: RoutedRequest) throws -> (payload: Fields, caller: Caller) {
        let payload = try request.payload()
        return (payload, try caller(request, as: try payload.string("user_id") ?? request.query["user_id"]))
    }

    func createPoll(_ request: RoutedRequest) throws -> HTTPResponse {
        let (payload, caller) = try pollCaller(request)
        return pollResponse(try chat.polls.create(payload, caller), [])
    }

    func listPolls(_ request: RoutedRequest) throws -> HTTPResponse {
        let (_, caller) = try pollCaller(request)
        let channel = try chat.channel(request.query.text("channel_url"))
        try chat.access.checkReading(caller, channel)
        let page = try Page(of: try chat.contents.polls(of: channel), request.query)
        for poll in page.items { try OwnVotes(context: context).add(of: caller.userID, toPoll: poll) }
        return HTTPResponse(.object(["polls": .array(Array(page.items)), "next": .string(page.next)]))
    }

    func noActionOfPolls(_ request: RoutedRequest) throws -> HTTPResponse {
        _ = try pollCaller(request)
        throw Refusal.noEndpoint()
    }

    // MARK: One poll

    private typealias AskedPoll = (poll: Poll, payload: Fields, caller: Caller)

    /// The poll that the path names. Clients name its channel too; the poll knows it.
    private func poll(_ request: RoutedRequest) throws -> AskedPoll {
        let (payload, caller) = try pollCaller(request)
        guard let id = Int64(request["poll"]) else { throw Refusal.invalid("poll_id", "a number is expected") }
        return (try chat.polls.poll(id), payload, caller)
    }

    private func pollResponse(_ poll: Poll, _ caller: Caller) throws -> HTTPResponse {
        pollResponse(poll, try chat.contents.votes(of: caller.userID, in: poll.id))
    }

    func viewPoll(_ request: RoutedRequest) throws -> HTTPResponse {
        let (poll, _, caller) = try poll(request)
        try chat.polls.checkSeeing(poll, caller)
        return try pollResponse(poll, caller)
    }

    func updatePoll(_ request: RoutedRequest) throws -> HTTPResponse {
        let (poll, payload, caller) = try poll(request)
        return try pollResponse(try chat.polls.update(poll, payload, caller), caller)
    }

    func deletePoll(_ request: RoutedRequest) throws -> HTTPResponse {
        let (poll, _, caller) = try poll(request)
        try chat.polls.delete(poll, caller)
        return .empty
    }

    func closePoll(_ request: RoutedRequest) throws -> HTTPResponse {
        let (poll, _, caller) = try poll(request)
        return try pollResponse(try chat.polls.close(poll, caller), caller)
    }

    func vote(_ request: RoutedRequest) throws -> HTTPResponse {
        let (poll, payload, caller) = try poll(request)
        return HTTPResponse(try chat.polls.vote(poll.id, try payload.numbers("option_ids"), caller).frame)
    }

    func addPollOption(_ request: RoutedRequest) throws -> HTTPResponse {
        let (poll, payload, caller) = try poll(request)
        let text = try payload.string(["text", "option"]) ?? ""
        guard !text.isEmpty else { throw Refusal.missing("text") }
        return try pollResponse(try chat.polls.addOption(text, poll, caller), caller)
    }

    func noActionOfPoll(_ request: RoutedRequest) throws -> HTTPResponse {
        _ = try poll(request)
        throw Refusal.noEndpoint()
    }

    // MARK: One option

    /// The option that the path names, of a poll that the caller may see.
    private func option(_ request: RoutedRequest) throws -> (id: Int64, option: JSON, asked: AskedPoll) {
        let asked = try poll(request)
        guard let id = Int64(request["option"]), let option = asked.poll.option(id) else {
            throw Refusal(400_201, "\"Option\" not found.")
        }
        try chat.polls.checkSeeing(asked.poll, asked.caller)
        return (id, option, asked)
    }

    func viewPollOption(_ request: RoutedRequest) throws -> HTTPResponse { HTTPResponse(try option(request).option) }

    func updatePollOption(_ request: RoutedRequest) throws -> HTTPResponse {
        let (id, _, asked) = try option(request)
        let text = try asked.payload.required("text")
        return try pollResponse(try chat.polls.changeOption(id, text, asked.poll, asked.caller), asked.caller)
    }

    func deletePollOption(_ request: RoutedRequest) throws -> HTTPResponse {
        let (id, _, asked) = try option(request)
        _ = try chat.polls.changeOption(id, nil, asked.poll, asked.caller)
        return .empty
    }

    func listVoters(_ request: RoutedRequest) throws -> HTTPResponse {
        let (id, _, asked) = try option(request)
        let voters = try chat.contents.voters(for: id, in: asked.poll.id)
        let page = try Page(of: voters, request.query)
        return HTTPResponse(
            .object([
                "voters": .array(try page.items.compactMap { try chat.users.find($0)?.json }),
                "vote_count": .int(Int64(voters.count)), "next": .string(page.next),
            ]))
    }

    func noActionOfPollOption(_ request: RoutedRequest) throws -> HTTPResponse {
        _ = try option(request)
        throw Refusal.noEndpoint()
    }

    // MARK: Of a channel

    func pollChanges(_ request: RoutedRequest) throws -> HTTPResponse {
        let channel = try channel(request)
        let caller = try caller(request)
        let reader = try chat.access.reader(caller, channel)
        let limit = try max(1, request.query.limit(default: 100, max: 200))
        let changes = try chat.polls.changes(for: reader, since: ChangeStart(request.query), limit: limit)
        let votes = OwnVotes(context: context)
        for poll in changes["updated"]?.array ?? [] { try votes.add(of: caller.userID, toPoll: poll) }
        return HTTPResponse(changes)
    }

    private func pollResponse(_ poll: Poll, _ own: [Int64]) -> HTTPResponse {
        let json = poll.json.deepCopy()
        json.set("voted_option_ids", .array(own.map { .int($0) }))
        return HTTPResponse(json)
    }
}
