import ServerBase
import SyncBytes
import SyncJSON

/// A poll is a document of its own; the message that it is sent with has a copy, which changes with the poll. Until it
/// is sent, a poll belongs to no channel (scope "") and only its maker sees it. A table has who voted for what.
public struct PollRules: ChatRules {
    let chat: Chat

    public func poll(_ id: Int64) throws -> Poll {
        guard let found = try storage.documents.whole(.poll, String(id)), found.json["status"]?.string != "removed"
        else {
            throw Refusal(400_201, "\"Poll\" not found.")
        }
        return Poll(id: id, channelID: Int64(found.scope) ?? 0, json: found.json)
    }

    /// Whether the caller may see a poll: its maker, the administration, and the members of its channel.
    public func checkSeeing(_ poll: Poll, _ caller: Caller) throws {
        if caller.isAdmin || poll.createdBy.isByteEqual(to: caller.userID) { return }
        guard poll.channelID > 0, let channel = try storage.channels.channel(id: poll.channelID) else {
            throw Refusal(400_201, "\"Poll\" not found.")
        }
        try chat.access.checkReading(caller, channel)
    }

    private func checkChanging(_ poll: Poll, _ caller: Caller) throws {
        guard caller.isAdmin || poll.createdBy.isByteEqual(to: caller.userID) else {
            throw Refusal.unauthorized("only its maker changes a poll")
        }
    }

    public func create(_ fields: Fields, _ caller: Caller) throws -> Poll {
        let title = try fields.required("title")
        guard let given = fields["options"], given.kind == .array, given.count > 0 else {
            throw Refusal.missing("options")
        }
        guard given.count <= 100 else { throw Refusal.tooMany("options") }
        let now = now
        return try storage.transaction {
            let id = try storage.nextNumber("poll")
            let options = try (given.array ?? []).map { entry in
                guard let text = entry.string ?? entry["text"]?.string, !text.isEmpty else {
                    throw Refusal.notString("options")
                }
                return try newOption(text, of: id, by: caller.userID, at: now)
            }
            let json = JSON.object([
                "id": .int(id), "title": .string(title), "status": "open", "created_at": .int(now / 1000),
                "updated_at": .int(now / 1000), "created_by": .string(caller.userID), "message_id": 0, "voter_count": 0,
                "close_at": .int(try closing(fields) ?? -1),
                "data": fields["data"] ?? .object(["text": ""]),
                "allow_user_suggestion": .bool(try fields.bool("allow_user_suggestion") ?? false),
                "allow_multiple_votes": .bool(try fields.bool("allow_multiple_votes") ?? false),
                "options": .array(options),
            ])
            let poll = Poll(id: id, channelID: 0, json: json)
            try save(poll, at: now)
            return poll
        }
    }

    /// When a poll closes by itself, in seconds; -1 is never.
    private func closing(_ fields: Fields) throws -> Int64? {
        guard let time = try fields.int("close_at") else { return nil }
        guard (-1...Self.lastClosing).contains(time) else { throw Refusal.outOfRange("close_at") }
        return time
    }

    /// Seconds since the epoch.
    private static let lastClosing: Int64 = 100_000_000_000

    private func newOption(_ text: String, of poll: Int64, by userID: String, at now: Int64) throws -> JSON {
        .object([
            "id": .int(try storage.nextNumber("poll_option")), "poll_id": .int(poll), "text": .string(text),
            "vote_count": 0, "created_by": .string(userID), "created_at": .int(now / 1000),
            "updated_at": .int(now / 1000),
        ])
    }

    /// Stores a poll. Its time is a change number, so that its changelog loses nothing between two reads.
    private func save(_ poll: Poll, at now: Int64) throws {
        poll.json.set("updated_at", .int(now / 1000))
        let closing = poll.json["close_at"]?.int ?? -1
        let due = poll.status == "open" && closing > 0 ? min(closing, Self.lastClosing) * 1000 : 0
        try storage.documents.save(
            .poll, String(poll.id), scope: poll.channelID > 0 ? String(poll.channelID) : "",
            at: try storage.nextSequence(), due: due, poll.json)
        chat.dueTimer.arrange(at: due)
    }

    /// Puts a poll into the channel, since it is sent with a message. Returns the poll's copy for the message.
    public func attach(_ id: Int64, to message: MessageRow, _ channel: ChannelRow) throws -> JSON {
        let poll = try poll(id)
        guard poll.messageID == 0 else { throw Refusal.invalid("poll_id", "the poll was sent already") }
        guard message.sender.isEmpty || poll.createdBy.isEmpty || poll.createdBy.isByteEqual(to: message.sender) else {
            throw Refusal.unauthorized("only its maker sends a poll")
        }
        poll.json.set("message_id", .int(message.id))
        try save(Poll(id: id, channelID: channel.id, json: poll.json), at: now)
        return poll.json
    }

    /// Stores a changed poll, brings its message's copy up to date and tells the members.
    private func changed(_ poll: Poll, at now: Int64, _ broadcasts: inout [Broadcast]) throws {
        try save(poll, at: now)
        guard poll.channelID > 0, let channel = try storage.channels.channel(id: poll.channelID) else { return }
        try refreshPollMessage(poll)
        try storage.channels.touch(channel.id, at: now)
        let frame = Frames.frame(
            "PEDI",
            .object([
                "poll": poll.json, "channel_url": .string(channel.url), "channel_type": "group",
                "channel_id": .int(channel.id), "ts": .int(now),
            ]))
        broadcasts.append(Broadcast(frame: frame, users: try storage.audience(channel.id)))
    }

    private func refreshPollMessage(_ poll: Poll) throws {
        guard var message = try storage.messages.message(poll.messageID), let json = try? JSON.parse(message.json)
        else {
            return
        }
        json.set("poll", poll.json)
        message.json = json.serialized()
        try storage.messages.update(message)
    }

    public func update(_ poll: Poll, _ fields: Fields, _ caller: Caller) throws -> Poll {
        try checkChanging(poll, caller)
        if let title = try fields.string("title") { poll.json.set("title", .string(title)) }
        if let data = fields["data"] { poll.json.set("data", data) }
        for key in ["allow_user_suggestion", "allow_multiple_votes"] {
            if let value = try fields.bool(key) { poll.json.set(key, .bool(value)) }
        }
        if let time = try closing(fields) { poll.json.set("close_at", .int(time)) }
        let now = now
        try change { try changed(poll, at: now, &$0) }
        return poll
    }

    public func close(_ poll: Poll, _ caller: Caller) throws -> Poll {
        try checkChanging(poll, caller)
        poll.json.set("status", "closed")
        let now = now
        try change { try changed(poll, at: now, &$0) }
        return poll
    }

    public func delete(_ poll: Poll, _ caller: Caller) throws {
        try checkChanging(poll, caller)
        poll.json.set("status", "removed")
        let now = now
        try change { try changed(poll, at: now, &$0) }
    }

    public func addOption(_ text: String, _ poll: Poll, _ caller: Caller) throws -> Poll {
        try checkSeeing(poll, caller)
        if poll.json["allow_user_suggestion"]?.bool != true { try checkChanging(poll, caller) }
        guard poll.status == "open" else { throw Refusal.invalid("poll_id", "the poll is closed") }
        let now = now
        try change { broadcasts in
            let option = try newOption(text, of: poll.id, by: caller.userID, at: now)
            poll.json["options"]?.append(option)
            try changed(poll, at: now, &broadcasts)
        }
        return poll
    }

    /// Changes the text of an option, or takes it away with its votes.
    public func changeOption(_ id: Int64, _ text: String?, _ poll: Poll, _ caller: Caller) throws -> Poll {
        guard let option = poll.option(id) else { throw Refusal(400_201, "\"Option\" not found.") }
        if !(option["created_by"]?.string).isByteEqual(to: caller.userID) { try checkChanging(poll, caller) }
        let now = now
        try change { broadcasts in
            if let text {
                option.set("text", .string(text))
                option.set("updated_at", .int(now / 1000))
            } else {
                poll.json.set("options", .array(poll.options.filter { $0["id"]?.int != id }))
                try storage.votes.remove(poll.id, option: id)
                try count(poll)
            }
            try changed(poll, at: now, &broadcasts)
        }
        return poll
    }

    /// Counts the votes again.
    private func count(_ poll: Poll) throws {
        let counts = try storage.votes.counts(poll.id)
        for option in poll.options { option.set("vote_count", .int(counts[option["id"]?.int ?? 0] ?? 0)) }
        poll.json.set("voter_count", .int(try storage.votes.voterCount(poll.id)))
    }

    /// Sets a member's votes to these options only. Returns the frame that tells the voter of it, with the options.
    public func vote(_ id: Int64, _ options: [Int64], _ caller: Caller) throws -> (poll: Poll, frame: JSON) {
        let poll = try poll(id)
        guard poll.channelID > 0, let channel = try storage.channels.channel(id: poll.channelID) else {
            throw Refusal.invalid("poll_id", "the poll was not sent yet")
        }
        guard try storage.members.membership(channel.id, caller.userID)?.state == .joined else {
            throw Refusal.notMember()
        }
        guard poll.status == "open" else { throw Refusal.invalid("poll_id", "the poll is closed") }
        let wanted = Set(options)
        guard wanted.allSatisfy({ poll.option($0) != nil }) else {
            throw Refusal.invalid("option_ids", "there is no such option")
        }
        if wanted.count > 1, poll.json["allow_multiple_votes"]?.bool != true {
            throw Refusal.invalid("option_ids", "the poll takes one vote")
        }
        let now = now
        return try change { broadcasts in
            try storage.votes.set(poll.id, caller.userID, wanted)
            try count(poll)
            try save(poll, at: now)
            try refreshPollMessage(poll)
            try storage.channels.touch(channel.id, at: now)
            let told = JSON.object([
                "channel_url": .string(channel.url), "channel_type": "group", "channel_id": .int(channel.id),
                "poll_id": .int(poll.id), "message_id": .int(poll.messageID), "ts": .int(now),
                "voter_count": poll.json["voter_count"] ?? 0,
                "updated_vote_counts": .array(
                    poll.options.map {
                        .object(["option_id": $0["id"] ?? 0, "vote_count": $0["vote_count"] ?? 0])
                    }),
            ])
            let others = try storage.audience(channel.id).filter { !$0.isByteEqual(to: caller.userID) }
            broadcasts.append(Broadcast(frame: Frames.frame("VOTE", told), users: others))
            let own = told.deepCopy()
            own.set("voted_option_ids", .array(wanted.sorted().map { .int($0) }))
            broadcasts.append(
                Broadcast(frame: Frames.frame("VOTE", own), users: [caller.userID], except: caller.socket))
            return (poll, own)
        }
    }

    /// What changed of a channel's polls since a token or a time.
    public func changes(for reader: Reader, since start: ChangeStart, limit: Int) throws -> JSON {
        var sequence: Int64 = 0
        var since: Int64 = 0
        switch start {
        case .token(let token): sequence = try storage.changeNumber(token)
        case .time(let time): since = time / 1000
        }
        let found = try storage.documents.all(.poll, scope: String(reader.channel.id))
            .filter { $0.at > sequence && $0.json["updated_at"]?.int ?? 0 >= since }
            .sorted { $0.at < $1.at }
        let page = found.prefix(limit)
        let isRemoved = { (document: DocumentTable.Document) in document.json["status"]?.string == "removed" }
        let reached = found.count > limit ? page.last?.at ?? sequence : storage.lastSequence
        return .object([
            "updated": .array(page.filter { !isRemoved($0) }.map(\.json)),
            "deleted": .array(page.filter(isRemoved).compactMap { $0.json["id"] }),
            "has_more": .bool(found.count > limit), "next": .string(storage.changeToken(reached)),
        ])
    }
}

extension Chat {
    public var polls: PollRules { PollRules(chat: self) }
}
