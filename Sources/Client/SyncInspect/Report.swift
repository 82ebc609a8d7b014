/// A table to be shown as it is. Its texts may be from the file: they are without control characters, and not escaped.
struct Listing {
    let title: String
    let columns: [String]
    var rows: [[String]] = []
    var leftOff: Int64 = 0
}

/// A place in a history, by the numbers of the file.
struct Place: Comparable {
    var order: Int64
    var tie: Int64

    static func < (left: Place, right: Place) -> Bool {
        left.order == right.order ? left.tie < right.tie : left.order < right.order
    }

    var text: String { "\(Shown.time(order))/\(tie)" }
}

/// A range in which the cache of a history is complete.
struct Chunk {
    var start: Place
    var end: Place
    let startToken: String
    let endToken: String
    let reachedFirst: Bool
    let isOpenEnded: Bool
    var messages: Int64 = 0
}

/// The messages of a channel, or of one of its threads.
struct History {
    /// The message that the thread answers; `nil`: the channel itself.
    let parentID: String?
    /// Ascending; the newest ones only, when there are more.
    var chunks: [Chunk] = []
    var chunksLeftOff: Int64 = 0
    var messages: Int64 = 0
    /// Cached messages that no chunk has: before the first chunk, between two, behind the last.
    var between: [Int64] = [0]
    /// How far changes were read.
    var changes: String?
    /// The newest messages as texts, when they are asked for.
    var texts: [String] = []
    var isWhole = true

    var title: String { parentID.map { "thread of \($0)" } ?? "channel" }
}

struct Channel {
    let url: String
    let name: String
    /// Messages may be cached even when their channel is not.
    let isCached: Bool
    let latestAt: Int64?
    let messages: Int64
    let bytes: Int64
    let usedAt: Int64
    let isDamaged: Bool
    var histories: [History] = []
    var threadsLeftOff: Int64 = 0
}

/// What is in the files of a user, as far as it could be read.
struct Report {
    let directory: String
    var facts: [(name: String, value: String)] = []
    var channels: [Channel] = []
    var channelsLeftOff: Int64 = 0
    /// Bytes that messages take, and the bound that they are compared with.
    var used: Int64 = 0
    var limit: Int64?
    var listings: [Listing] = []
    var damage: [String] = []
}
