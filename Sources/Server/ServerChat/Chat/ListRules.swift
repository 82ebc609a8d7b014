import ServerBase
import SyncBytes
import SyncJSON

/// Pages of channels and messages, and of what changed of them.
public struct ListRules: ChatRules {
    let chat: Chat

    /// A page of a user's channels.
    public func myChannels(_ userID: String, _ list: ChannelListQuery) throws -> [UInt8] {
        try page(of: try storage.channels.list(of: userID).map { ($0.channel, $0.membership) }, list, userID)
    }

    /// A page of all channels or of the public ones, or only of those among them that the viewer has joined.
    public func channels(
        publicOnly: Bool, onlyJoined: Bool, _ viewer: String, _ list: ChannelListQuery
    ) throws -> [UInt8] {
        var candidates: [(ChannelRow, MembershipRow?)] = []
        for channel in try storage.channels.all(publicOnly: publicOnly) {
            let own = try viewer.isEmpty ? nil : storage.members.membership(channel.id, viewer)
            if onlyJoined, own?.state != .joined { continue }
            candidates.append((channel, own))
        }
        return try page(of: candidates, list, viewer)
    }

    private func page(
        of candidates: [(ChannelRow, MembershipRow?)], _ list: ChannelListQuery, _ viewer: String
    ) throws -> [UInt8] {
        var after: ChannelOrder.Place?
        if !list.token.isEmpty {
            after = ChannelOrder.Place(token: list.token)
            if after == nil { throw Refusal.expiredToken() }
        }
        var found: [(place: ChannelOrder.Place, channel: ChannelRow, membership: MembershipRow?)] = []
        for (channel, membership) in candidates {
            var value: String?
            if list.order == .metadata {
                value = try storage.channels.metadata(channel.id).value(ofKey: list.metadataOrderKey)
            }
            let own = membership ?? MembershipRow(channelID: channel.id, userID: "", state: .gone)
            let place = list.order.place(channel, own, metadataValue: value)
            if let after, place <= after { continue }
            if try list.matches(channel, own, viewer, storage) { found.append((place, channel, membership)) }
        }
        found.sort { $0.place < $1.place }
        let page = found.prefix(list.limit)
        let view = try ChannelView(chat, viewer: viewer, parts: list.parts)
        var writer = JSONWriter(capacity: 16 << 10)
        writer.beginObject()
        writer.key("channels")
        writer.beginArray()
        for entry in page { try view.write(entry.channel, entry.membership, to: &writer) }
        writer.endArray()
        writer.member("next", found.count > list.limit ? page.last?.place.token ?? "" : "")
        writer.member("ts", now)
        writer.endObject()
        return writer.bytes
    }

    /// What changed of a user's channels since a token or a time.
    public func channelChanges(_ userID: String, _ wanted: ChannelChangesQuery) throws -> [UInt8] {
        let limit = wanted.limit
        var sequence: Int64 = 0
        var time: Int64 = 0
        switch wanted.since {
        case .token(let token): sequence = try storage.changeNumber(token)
        case .time(let given): time = given
        }
        let found = try storage.channels.changes(of: userID, after: sequence, since: time, limit: limit + 1)
        let page = found.prefix(limit)
        let view = try ChannelView(chat, viewer: userID, parts: wanted.parts)
        var updated: TextSet = []
        var writer = JSONWriter(capacity: 16 << 10)
        writer.beginObject()
        writer.key("updated")
        writer.beginArray()
        for entry in page where entry.membership.state != .gone {
            if let types = wanted.customTypes, !types.contains(entry.channel.customType) { continue }
            if !wanted.showsEmpty, entry.channel.lastMessage(of: entry.membership) == nil { continue }
            if !wanted.showsFrozen, entry.channel.isFrozen { continue }
            try view.write(entry.channel, entry.membership, to: &writer)
            updated.insert(entry.channel.url)
        }
        writer.endArray()
        writer.key("deleted")
        writer.beginArray()
        // A channel that was deleted and made again under the same URL is there.
        for entry in page where entry.membership.state == .gone && !updated.contains(entry.channel.url) {
            writer.string(entry.channel.url)
        }
        writer.endArray()
        writer.member("has_more", found.count > limit)
        // A page that holds all changes reaches up to this moment.
        let reached = found.count > limit ? page.last?.sequence ?? sequence : storage.lastSequence
        writer.member("next", storage.changeToken(reached))
        writer.member("ts", now)
        writer.endObject()
        return writer.bytes
    }

    /// A page of messages around a time or a message.
    ///
    /// `previous` counts messages strictly before, `next` strictly after. With `includes` come, besides, all messages
    /// of exactly that time (or the message itself when one is named).
    public func messages(for reader: Reader, _ wanted: MessageListQuery) throws -> [UInt8] {
        let channel = reader.channel
        let filter = reader.narrow(wanted.filter)
        let (parts, next) = (wanted.parts, wanted.next)
        let place = try place(wanted.place, in: channel)
        var pages = PagesAround()
        if wanted.previous > 0 {
            try storage.messages.read(
                channel.id, place.before, filter, parts, limit: wanted.previous, into: &pages.older)
        }
        if wanted.includes {
            try storage.messages.read(channel.id, place.exactly, filter, parts, limit: -1, into: &pages.exact)
        }
        if let pivot = place.pivot { pages.exact.entries.removeAll { $0.id != pivot } }
        // One more message than asked for tells whether there are more.
        if next > 0 {
            try storage.messages.read(
                channel.id, place.after, filter, parts, limit: next + (wanted.checksNext ? 1 : 0), into: &pages.newer)
        }
        var hasNext = false
        if wanted.checksNext {
            let found = pages.newer.entries.count
            hasNext =
                next > 0 ? found > next : try storage.messages.count(channel.id, place.after, filter, limit: 1) > 0
            if found > next { pages.newer.entries.removeLast(found - next) }
        }
        var isContinuous = true
        if wanted.checksContinuity, filter.isSelective, let first = pages.first, let last = pages.last {
            isContinuous = try !storage.messages.hasMore(
                channel.id, parentID: filter.parentID, from: first, to: last, than: pages.count)
        }
        // Written by hand: a writer's text would have to be copied once more.
        var body: [UInt8] = []
        body.reserveCapacity(pages.size + 128)
        body.append(contentsOf: "{\"messages\":[".utf8)
        pages.write(isReversed: wanted.isReversed, to: &body)
        body.append(UInt8(ascii: "]"))
        if wanted.checksNext { body.append(contentsOf: ",\"has_next\":\(hasNext)".utf8) }
        if wanted.checksContinuity {
            body.append(contentsOf: ",\"is_continuous_messages\":\(isContinuous)".utf8)
        }
        body.append(UInt8(ascii: "}"))
        return body
    }

    /// What lies before, after and at a place of a channel.
    private struct Place {
        let before: MessageTable.Side
        let after: MessageTable.Side
        let exactly: MessageTable.Side
        /// The message that the place is, not only its time.
        var pivot: Int64?
    }

    private func place(_ wanted: MessageListQuery.Place, in channel: ChannelRow) throws -> Place {
        switch wanted {
        case .message(let id):
            guard let message = try storage.messages.message(id, in: channel.id) else { throw Refusal.noMessage() }
            let time = message.createdAt
            return Place(before: .before(time, id), after: .after(time, id), exactly: .at(time), pivot: id)
        case .time(let time):
            return Place(before: .before(time, 0), after: .after(time, .max), exactly: .at(time))
        }
    }

    /// What changed of a channel's messages since a token or a time.
    public func messageChanges(for reader: Reader, _ wanted: MessageChangesQuery) throws -> [UInt8] {
        let channel = reader.channel
        let filter = reader.narrow(wanted.filter)
        let limit = wanted.limit
        var sequence: Int64
        switch wanted.since {
        case .token(let token): sequence = try storage.changeNumber(token)
        case .time(let time): sequence = try storage.changes.sequence(channel.id, at: time)
        }
        let found = try storage.changes.list(channel.id, after: sequence, limit: limit + 1)
        let page = found.prefix(limit)
        let hasMore = found.count > limit
        sequence = hasMore ? page.last?.sequence ?? sequence : storage.lastSequence
        var writer = JSONWriter(capacity: 8 << 10)
        writer.beginObject()
        writer.key("updated")
        writer.beginArray()
        for change in page where !change.isDeleted {
            guard let message = try storage.messages.message(change.messageID, in: channel.id) else { continue }
            // One that lies before the reader's offset is told, too, as it is by frames: it may have been moved there.
            guard filter.showsChange(of: message) else { continue }
            writer.raw(message.bytes(wanted.parts))
        }
        writer.endArray()
        writer.key("deleted")
        writer.beginArray()
        for change in page where change.isDeleted {
            writer.beginObject()
            writer.member("message_id", change.messageID)
            writer.member("deleted_at", change.at)
            writer.endObject()
        }
        writer.endArray()
        writer.member("has_more", hasMore)
        writer.member("next", storage.changeToken(sequence))
        writer.endObject()
        return writer.bytes
    }

    /// What a client misses on one side.
    private struct GapSide {
        var missing = 0
        var page = MessagePage()
        var hasMore = false
    }

    /// The messages that a client which was away misses before and after those it has. Both ranges include their ends.
    ///
    /// A gap is huge when more messages are missing (those there are, less those the client says it holds) than the
    /// limit. Else the messages come: of the older range the newest, of the newer range the oldest, so that what the
    /// client holds grows without a hole; when a range has more, the rest is left to pages.
    public func gap(for reader: Reader, _ wanted: GapQuery) throws -> [UInt8] {
        let filter = reader.narrow(wanted.filter)
        let older = try gapSide(wanted.older, isNewer: false, filter, wanted.parts)
        let newer = try gapSide(wanted.newer, isNewer: true, filter, wanted.parts)
        let isHuge = older.missing + newer.missing > options.hugeGap
        func isContinuous(_ entries: [MessagePage.Entry], isNewer: Bool) throws -> Bool {
            guard filter.isSelective, let first = entries.first, let last = entries.last else { return true }
            return try !storage.messages.hasMore(
                filter.channelID, parentID: filter.parentID, from: isNewer ? first : last,
                to: isNewer ? last : first, than: entries.count)
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(older.page.bytes.count + newer.page.bytes.count + 256)
        func write(_ page: MessagePage, isNewer: Bool) {
            guard !isHuge else { return bytes.append(contentsOf: "[]".utf8) }
            bytes.append(UInt8(ascii: "["))
            page.write(isNewer == wanted.isReversed ? page.entries.reversed() : page.entries, to: &bytes)
            bytes.append(UInt8(ascii: "]"))
        }
        bytes.append(contentsOf: "{\"is_huge_gap\":\(isHuge),\"prev_messages\":".utf8)
        write(older.page, isNewer: false)
        bytes.append(contentsOf: ",\"next_messages\":".utf8)
        write(newer.page, isNewer: true)
        let olderMore = isHuge ? older.missing > 0 : older.hasMore
        let newerMore = isHuge ? newer.missing > 0 : newer.hasMore
        bytes.append(
            contentsOf: """
                ,"prev_hasmore":\(olderMore),"next_hasmore":\(newerMore),\
                "prev_has_more":\(olderMore),"next_has_more":\(newerMore),\
                "is_continuous_prev_messages":\(try isContinuous(older.page.entries, isNewer: false)),\
                "is_continuous_next_messages":\(try isContinuous(newer.page.entries, isNewer: true))}
                """.utf8)
        return bytes
    }

    private func gapSide(_ held: GapQuery.Held, isNewer: Bool, _ filter: MessageFilter, _ parts: MessageRow.Parts)
        throws -> GapSide
    {
        let (start, end) = (held.start, held.end)
        guard start > 0 || end > 0, start <= end else { return GapSide() }
        let side = isNewer ? MessageTable.Side.upwards(start, end) : .downwards(start, end)
        let most = options.hugeGap
        let (bound, overflow) = held.count.addingReportingOverflow(most + 1)
        let count = try storage.messages.count(
            filter.channelID, side, filter, limit: overflow ? 1 << 40 : min(bound, 1 << 40))
        let missing = max(0, count - held.count)
        var page = MessagePage()
        if missing <= most {
            let fill = max(most, 100)
            try storage.messages.read(filter.channelID, side, filter, parts, limit: fill + 1, into: &page)
            if page.entries.count > fill { page.entries.removeLast() }
        }
        return GapSide(missing: missing, page: page, hasMore: count > page.entries.count)
    }
}

extension Chat {
    public var lists: ListRules { ListRules(chat: self) }
}
