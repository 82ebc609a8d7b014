import ServerBase
import SyncBytes
import SyncSQLite

/// How many messages are unread for users in all their channels. Every message tells each online member's total, so
/// totals are kept in memory, and only a channel that changed is read again, for all its members at once.
public final class UnreadTotals {
    /// A user's total, and the part of each custom type among its joined channels, also those with nothing unread.
    public struct Total: Equatable {
        public struct Part: Equatable {
            public let type: String
            public let count: Int64
        }

        public let all: Int64
        /// By type; channels without one are in `all` only.
        public let parts: [Part]
    }

    /// The unread messages of one channel.
    private struct Waiting {
        let type: String
        let count: Int64
    }

    /// The joined channels of a user with their sums.
    private struct Account {
        private var channels: [Int64: Waiting] = [:]
        private var all: Int64 = 0
        /// The sum of each custom type, and how many channels have it.
        private var types: TextMap<(count: Int64, channels: Int)> = [:]

        /// `nil` for a channel that is not joined.
        mutating func set(_ channel: Int64, _ waiting: Waiting?) {
            if let old = channels[channel] { add(old.type, -old.count, channels: -1) }
            channels[channel] = waiting
            if let waiting { add(waiting.type, waiting.count, channels: 1) }
        }

        private mutating func add(_ type: String, _ count: Int64, channels: Int) {
            all += count
            guard !type.isEmpty else { return }
            let old = types[type] ?? (0, 0)
            let left = old.channels + channels
            types[type] = left > 0 ? (old.count + count, left) : nil
        }

        var total: Total {
            Total(all: all, parts: types.sorted().map { Total.Part(type: $0.key, count: $0.value.count) })
        }
    }

    private let connection: Connection
    private var known: TextMap<Account> = [:]
    private var changed: Set<Int64> = []

    private static let limit = 10_000

    public init(_ connection: Connection) { self.connection = connection }

    /// Notes that unread counts may have changed in a channel.
    public func note(_ channelID: Int64) { changed.insert(channelID) }

    /// Forgets all totals: what was read for them may have been rolled back.
    public func forget() {
        known = [:]
        changed = []
    }

    public func total(of userID: String) throws -> Total {
        for channel in changed { try refresh(channel) }
        changed = []
        return try (known[userID] ?? load(userID)).total
    }

    /// `MembershipRow.unread` computes the same for one row.
    private static let count = """
        CASE WHEN m.count_preference IN ('all', 'unread_message_count_only')
            THEN max(0, c.countable - m.read_total - m.own_unread) ELSE 0 END
        """

    private func load(_ userID: String) throws -> Account {
        if known.count >= UnreadTotals.limit { known = [:] }
        let statement = try connection.prepare(
            """
            SELECT c.id, c.custom_type, \(UnreadTotals.count) FROM members m JOIN channels c ON c.id = m.channel_id
            WHERE m.user_id = ? AND m.state = 2
            """
        ).bind(userID)
        defer { statement.reset() }
        var account = Account()
        while try statement.next() {
            account.set(statement.int(0), Waiting(type: statement.text(1), count: statement.count(2)))
        }
        known[userID] = account
        return account
    }

    private func refresh(_ channelID: Int64) throws {
        guard !known.isEmpty else { return }
        let statement = try connection.prepare(
            """
            SELECT m.user_id, m.state = 2, c.custom_type, \(UnreadTotals.count)
            FROM members m JOIN channels c ON c.id = m.channel_id WHERE m.channel_id = ?
            """
        ).bind(channelID)
        defer { statement.reset() }
        while try statement.next() {
            let waiting = statement.bool(1) ? Waiting(type: statement.text(2), count: statement.count(3)) : nil
            known[statement.text(0)]?.set(channelID, waiting)
        }
    }
}
