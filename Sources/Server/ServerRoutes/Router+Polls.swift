import ServerBase
import ServerChat
import ServerHTTP
import SyncJSON

extension Router {
    /// polls, polls/{id}, …/close, …/vote, …/options[/{id}[/voters]]
    func polls(_ request: HTTPRequest, _ path: [String]) throws -> HTTPResponse {
        let payload = try request.payload()
        let caller = try caller(request, as: try payload.string("user_id") ?? request.query["user_id"])
        guard let word = path.first else {
            switch request.method {
            case "POST": return pollResponse(try chat.createPoll(payload, caller), [])
            case "GET":
                let channel = try chat.channel(request.query.text("channel_url"))
                try chat.checkReading(caller, channel)
                let all = try storage.documents(.poll, scope: String(channel.id))
                    .filter { $0.json["status"]?.string != "removed" }
                let page = try Page(of: all, request.query)
                return HTTPResponse(
                    .object(["polls": .array(page.items.map(\.json)), "next": .string(page.next)]))
            default: throw Refusal.noEndpoint()
            }
        }
        guard let id = Int64(word) else { throw Refusal.invalid("poll_id", "a number is expected") }
        // Clients name the channel too; the poll knows it.
        for key in ["channel_url", "channel_type"] {
            _ = payload[key]
            _ = request.query[key]
        }
        let poll = try chat.poll(id)
        switch (request.method, path.count > 1 ? path[1] : "", path.count) {
        case ("GET", "", 1):
            try chat.checkSeeing(poll, caller)
            return pollResponse(poll, try storage.votes(id, of: caller.userID))
        case ("PUT", "", 1):
            return pollResponse(
                try chat.updatePoll(poll, payload, caller), try storage.votes(id, of: caller.userID))
        case ("DELETE", "", 1):
            try chat.deletePoll(poll, caller)
            return .empty
        case ("PUT", "close", 2):
            return pollResponse(try chat.closePoll(poll, caller), try storage.votes(id, of: caller.userID))
        case ("PUT", "vote", 2):
            let wanted = try payload.numbers("option_ids")
            return HTTPResponse(try chat.vote(id, wanted, caller).frame)
        case ("POST", "options", 2):
            let text = try payload.string(["text", "option"]) ?? ""
            guard !text.isEmpty else { throw Refusal.missing("text") }
            let changed = try chat.addOption(text, poll, caller)
            return pollResponse(changed, try storage.votes(id, of: caller.userID))
        case (_, "options", 3...): return try pollOption(request, poll, Array(path.dropFirst(2)), payload, caller)
        default: throw Refusal.noEndpoint()
        }
    }

    private func pollOption(
        _ request: HTTPRequest, _ poll: Chat.Poll, _ path: [String], _ payload: Fields, _ caller: Caller
    ) throws -> HTTPResponse {
        guard let id = Int64(path[0]), let option = poll.option(id) else {
            throw Refusal(400_201, "\"Option\" not found.")
        }
        try chat.checkSeeing(poll, caller)
        switch (request.method, path.count) {
        case ("GET", 1): return HTTPResponse(option)
        case ("PUT", 1):
            let changed = try chat.changeOption(id, try payload.required("text"), poll, caller)
            return pollResponse(changed, try storage.votes(poll.id, of: caller.userID))
        case ("DELETE", 1):
            _ = try chat.changeOption(id, nil, poll, caller)
            return .empty
        case ("GET", 2) where path[1] == "voters":
            let voters = try storage.voters(poll.id, option: id)
            let page = try Page(of: voters, request.query)
            return HTTPResponse(
                .object([
                    "voters": .array(try page.items.compactMap { try storage.user($0)?.json }),
                    "vote_count": .int(Int64(voters.count)), "next": .string(page.next),
                ]))
        default: throw Refusal.noEndpoint()
        }
    }

    /// group_channels/{url}/polls/changelogs
    func pollChanges(_ request: HTTPRequest, _ channel: ChannelRow, _ rest: [String]) throws -> HTTPResponse {
        guard request.method == "GET", rest == ["changelogs"] else { throw Refusal.noEndpoint() }
        let reader = try chat.reader(try caller(request), channel)
        let limit = try max(1, request.query.limit(default: 100, max: 200))
        return HTTPResponse(try chat.pollChanges(for: reader, since: ChangeStart(request.query), limit: limit))
    }

    private func pollResponse(_ poll: Chat.Poll, _ own: [Int64]) -> HTTPResponse {
        let json = poll.json.deepCopy()
        json.set("voted_option_ids", .array(own.map { .int($0) }))
        return HTTPResponse(json)
    }
}
