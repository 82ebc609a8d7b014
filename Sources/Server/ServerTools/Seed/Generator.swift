import ServerBase
import ServerChat
import SyncBytes
import SyncJSON

// One seed gives one account, byte by byte, on every machine: all choices come from `SeededRandom`, all times count
// back from a fixed day. It has what makes clients stumble: bursts with equal timestamps, many scripts, very long
// texts, edits and deletions in the changelog, reactions, threads, and channels that are empty, hidden, frozen, muted
// or only invited to.

/// Writes the generated account.
final class Generator {
    private let chat: Chat
    private let storage: Storage
    private var random: SeededRandom
    private let seed: UInt64
    private let scale: Double
    private var users: [UserRow] = []

    /// 2024-05-01 00:00 UTC: the newest message is of about this time.
    private static let end: Int64 = 1_714_521_600_000

    init(_ chat: Chat, _ storage: Storage, seed: UInt64, scale: Double) {
        self.chat = chat
        self.storage = storage
        self.seed = seed
        self.scale = scale
        random = SeededRandom(seed: seed)
    }

    /// Generates, or finds what an earlier run has generated in this database. `also` join all but the direct channels.
    func generate(also: [UserRow]) throws -> Seeder.Result {
        var result = Seeder.Result()
        for (id, name) in GeneratedAccount.people {
            let token = random.hex(32)
            var user =
                try storage.users.user(id)
                ?? UserRow(id: id, nickname: name, createdAt: Generator.end - 200 * 86_400_000)
            if user.accessToken.isEmpty { user.accessToken = token }
            if user.profileURL.isEmpty { user.profileURL = "https://files.example/profiles/\(id).png" }
            user.nickname = name
            try storage.users.save(user)
            users.append(user)
        }
        result.users = users
        for (number, plan) in GeneratedAccount.channels.enumerated() {
            let url = "gen-\(seed)-\(number)"
            if let known = try storage.channels.channel(url) {
                result.channels.append(.init(url: url, name: known.name, messageCount: known.countable))
                continue
            }
            result.channels.append(try channel(plan, number: number, url: url, also: also))
        }
        return result
    }

    private func channel(_ plan: GeneratedAccount.Plan, number: Int, url: String, also: [UserRow]) throws
        -> Seeder.SeededChannel
    {
        let size = plan.size < 2 ? plan.size : max(2, Int((Double(plan.size) * scale).rounded()))
        let times = times(size, number: number)
        let start = (times.first ?? Generator.end - Int64(random.within(1...40)) * 86_400_000) - 60_000
        var channel = ChannelRow(url: url, createdAt: start)
        channel.name = plan.name
        channel.customType = plan.customType
        channel.coverURL = plan.name.isEmpty ? "" : "https://files.example/covers/\(number).jpg"
        channel.data = random.chance(300) ? "{\"colour\":\"#\(random.hex(6))\"}" : ""
        let isInvitation = plan.name.hasPrefix("Invitation")
        let members = members(plan, number: number, also: also)
        channel.createdBy = isInvitation ? members[1].id : members[0].id
        switch plan.kind {
        case .direct:
            channel.flags.insert(.distinct)
            channel.distinctKey = members.map(\.id).sortedByBytes().joined(separator: "\n")
        case .broadcast: channel.flags.formUnion([.broadcast, .isSuper])
        case .open: channel.flags.insert(.isPublic)
        case .group: break
        }
        if plan.name.contains(text: "(frozen)") { channel.flags.insert(.frozen) }
        channel = try storage.channels.insert(channel)

        try fill(channel, with: members, plan.kind, isInvitation: isInvitation)
        if plan.kind == .group {
            try storage.channels.setMetadata(channel.id, "topic", random.pick(["alpha", "beta", "gamma", "delta"]))
            try storage.channels.setMetadata(channel.id, "colour", random.pick(["rot", "grün", "青", "أزرق"]))
            try storage.channels.setCounter(channel.id, "visits", Int64(random.below(5000)))
        }
        let count = try converse(
            channel, members.filter { !isInvitation || !$0.id.isByteEqual(to: members[0].id) }, times,
            isLargest: number == 0)
        try finish(channel, plan, members, times)
        return .init(url: url, name: channel.name, messageCount: count)
    }

    private func fill(
        _ channel: ChannelRow, with members: [UserRow], _ kind: GeneratedAccount.Kind, isInvitation: Bool
    ) throws {
        let start = channel.createdAt
        for (place, user) in members.enumerated() {
            var member = MembershipRow(channelID: channel.id, userID: user.id, state: .joined)
            member.joinedAt = start
            member.isOperator = place == (isInvitation ? 1 : 0) || kind == .broadcast && place == 1
            if !user.id.isByteEqual(to: channel.createdBy) {
                member.inviter = channel.createdBy
                member.invitedAt = start
            }
            if isInvitation, place == 0 { (member.state, member.joinedAt) = (.invited, 0) }
            try storage.members.save(member, at: start)
        }
        _ = try storage.members.recount(channel.id)
    }

    private func members(_ plan: GeneratedAccount.Plan, number: Int, also: [UserRow]) -> [UserRow] {
        let owner = users[0]
        switch plan.kind {
        case .direct:
            // Each direct channel has its own partner.
            let partner = GeneratedAccount.channels[..<number].filter { $0.kind == .direct }.count
            return [owner, users[1 + partner % (users.count - 1)]]
        default:
            let wanted = number == 0 || plan.kind == .broadcast ? users.count : random.within(3...12)
            var others = Array(users[1...])
            var result = [owner]
            while result.count < wanted, !others.isEmpty {
                result.append(others.remove(at: random.below(others.count)))
            }
            return result + also.filter { guest in !result.contains { $0.id.isByteEqual(to: guest.id) } }
        }
    }

    /// When the messages of a channel were sent, oldest first: conversations with pauses, and bursts of the same time.
    private func times(_ count: Int, number: Int) -> [Int64] {
        var time =
            Generator.end - Int64(random.within(0...(number == 0 ? 1 : 20))) * 86_400_000
            - Int64(random.below(80_000_000))
        var result: [Int64] = []
        result.reserveCapacity(count)
        while result.count < count {
            result.append(time)
            if random.chance(60) {
                // A burst, as from a program or a text that is broken into lines: several messages of one millisecond.
                for _ in 0..<random.within(1...9) where result.count < count { result.append(time) }
            }
            switch random.below(100) {
            case ..<55: time -= Int64(random.within(800...20_000))
            case ..<88: time -= Int64(random.within(20_000...240_000))
            case ..<98: time -= Int64(random.within(240_000...7_200_000))
            default: time -= Int64(random.within(7_200_000...90_000_000))
            }
        }
        return result.reversed()
    }

    private struct Later {
        let message: MessageRow
        let isDeleted: Bool
        let at: Int64
    }

    /// What a message is: mostly a text, now and then a file, a word of the administration or something of an own type.
    private func shape(_ text: String, by speaker: UserRow, at time: Int64, _ people: [UserRow]) -> (
        said: String, BulkWriter.Extras
    ) {
        var said = text
        var extras = BulkWriter.Extras()
        if random.chance(25) {
            extras.kind = .file
            extras.file = file(time)
            said = ""
        } else if random.chance(6) {
            extras.kind = .admin
            said = "\(speaker.nickname) changed the topic"
        } else if random.chance(40) {
            extras.customType = random.pick(["poll", "todo", "note"])
            extras.data = "{\"n\":\(random.below(100))}"
        }
        if random.chance(70) { extras.reactions = reactions(people, time) }
        if random.chance(20), extras.kind == .text {
            extras.updatedAt = time + Int64(random.within(3_000...600_000))
        }
        return (said, extras)
    }

    /// Writes the messages of a channel; returns how many are there in the end.
    private func converse(_ channel: ChannelRow, _ people: [UserRow], _ times: [Int64], isLargest: Bool) throws -> Int64
    {
        let writer = BulkWriter(storage, channel)
        var later: [Later] = []
        var recent: [MessageRow] = []
        var parents: Set<Int64> = []
        var speaker = random.pick(people)
        for (index, time) in times.enumerated() {
            if random.chance(600) { speaker = random.pick(people) }
            if channel.isBroadcast { speaker = people[random.below(2)] }
            if random.chance(10), index > 0, index < times.count - 1 {
                // This message was there once: the change log tells that it was deleted.
                let gone = MessageRow(
                    channelID: channel.id, createdAt: time, id: storage.nextMessageID(), kind: .text, customType: "",
                    sender: speaker.id,
                    parentID: 0, isInChannel: true, isCountable: true, json: [])
                later.append(Later(message: gone, isDeleted: true, at: time + Int64(random.within(5_000...900_000))))
                continue
            }
            let text = isLargest && index % 800 == 401 ? GeneratedText.long(&random) : GeneratedText.text(&random)
            var (said, extras) = shape(text, by: speaker, at: time, people)
            if extras.kind == .text, random.chance(60), let parent = recent.isEmpty ? nil : random.pick(recent),
                parent.createdAt < time
            {
                extras.parentID = parent.id
                extras.isReplyToChannel = random.chance(250)
                extras.parentInfo = parent.infoForReplies
                parents.insert(parent.id)
            }
            if extras.updatedAt > 0 { said += " (edited)" }
            let message = try writer.write(said, by: extras.kind == .admin ? nil : speaker, at: time, extras)
            if extras.updatedAt > 0 { later.append(Later(message: message, isDeleted: false, at: extras.updatedAt)) }
            if extras.parentID == 0, extras.kind == .text {
                recent.append(message)
                if recent.count > 30 { recent.removeFirst() }
            }
        }
        try writer.finish()
        for id in parents.sorted() { try finishThread(id) }
        // In the order of their times, as they would have happened.
        for change in later.sorted(by: { ($0.at, $0.message.id) < ($1.at, $1.message.id) }) {
            try storage.changes.note(change.message, isDeleted: change.isDeleted, at: change.at)
        }
        return writer.count
    }

    private func file(_ time: Int64) -> [UInt8] {
        let (name, type) = random.pick([
            ("photo.jpg", "image/jpeg"), ("Größe & Gewicht.pdf", "application/pdf"), ("video.mp4", "video/mp4"),
            ("写真.png", "image/png"),
            ("notes.txt", "text/plain"),
        ])
        return JSON.object([
            "url": .string("https://files.example/\(random.hex(12))"), "name": .string(name), "type": .string(type),
            "size": .int(Int64(random.within(900...9_000_000))), "data": "", "require_auth": false,
        ]).serialized()
    }

    private func reactions(_ people: [UserRow], _ time: Int64) -> [UInt8] {
        let list = JSON.array()
        var keys = ["thumbsup", "heart", "joy", "tada", "eyes"]
        for _ in 0..<random.within(1...3) {
            let key = keys.remove(at: random.below(keys.count))
            var ids: [String] = []
            for _ in 0..<random.within(1...4) {
                let id = random.pick(people).id
                if !ids.containsBytes(of: id) { ids.append(id) }
            }
            list.append(
                .object([
                    "key": .string(key), "user_ids": .strings(ids),
                    "updated_at": .int(time + Int64(random.below(60_000))),
                ]))
        }
        return list.serialized()
    }

    private func finishThread(_ id: Int64) throws {
        guard var parent = try storage.messages.message(id) else { return }
        let thread = try storage.messages.thread(id)
        parent.threadInfo = JSON.object([
            "reply_count": .int(thread.count),
            "most_replies": .array(try thread.most.compactMap { try storage.users.user($0)?.json }),
            "last_replied_at": .int(thread.lastAt), "updated_at": .int(thread.lastAt),
        ]).serialized()
        try storage.messages.update(parent)
    }

    /// Who has read how far, and what the owner did with the channel.
    private func finish(_ channel: ChannelRow, _ plan: GeneratedAccount.Plan, _ members: [UserRow], _ times: [Int64])
        throws
    {
        guard let current = try storage.channels.channel(id: channel.id) else { return }
        for (place, user) in members.enumerated() {
            guard var member = try storage.members.membership(channel.id, user.id) else { continue }
            if let last = times.last {
                // Most have read all; some lag behind by a few messages.
                let read = random.chance(600) ? last : times[max(0, times.count - 1 - random.within(0...40))]
                let left = try storage.messages.countables(channel.id, from: read + 1, by: user.id)
                member.lastRead = member.state == .joined ? read : 0
                member.delivered = member.lastRead
                member.readTotal = current.countable - left.all
                member.ownUnread = left.own
            }
            if place == 0 {
                if plan.name == "Hidden until news" { member.hidden = .untilNewMessage }
                if plan.name == "Hidden for good" { member.hidden = .always }
                if plan.name == "Muted here" {
                    (member.mutedUntil, member.mutedAt, member.muteNote) = (-1, times.last ?? 0, "too loud")
                }
            }
            try storage.members.save(member, at: times.last ?? channel.createdAt)
        }
        // Rows written later carry later change numbers; the channel's change is its last message.
        try storage.channels.touch(channel.id, at: times.last ?? channel.createdAt)
    }
}
