import SyncJSON
import SyncModel

/// Who is typing, by channel. Shown with the channel and never stored: after a restart nobody is known to type.
struct Typing {
    /// How long an entry lasts that is not renewed: the word that ends it may be lost.
    private static let life: Int64 = 10_000

    private struct Entry {
        var userID: String
        /// JSON text of the user.
        var user: [UInt8]
        /// By the monotonic clock.
        var until: Int64
    }

    /// Only channels where somebody types; who began first comes first.
    private var entries: [TextKey: [Entry]] = [:]

    var nextExpiry: Int64? { entries.values.joined().map(\.until).min() }

    /// Whether this changes who types.
    mutating func begin(_ url: String, userID: String, user: [UInt8], now: Int64) -> Bool {
        let until = now + Typing.life
        if let index = entries[url]?.firstIndex(where: { $0.userID.isByteEqual(to: userID) }) {
            entries[url]?[index].until = until
            return false
        }
        entries[TextKey(url), default: []].append(Entry(userID: userID, user: user, until: until))
        return true
    }

    /// Whether this changes who types.
    mutating func end(_ url: String, userID: String) -> Bool {
        removeEntries(in: url) { $0.userID.isByteEqual(to: userID) }
    }

    /// The channels whose typing users changed because time passed, in a fixed order.
    mutating func expire(now: Int64) -> [String] {
        entries.keys.sorted().map(\.text).filter { url in removeEntries(in: url) { $0.until <= now } }
    }

    mutating func forget(_ urls: [String]) { for url in urls { entries[url] = nil } }

    /// The channel as a host sees it.
    func shown(_ channel: ChannelRecord) -> ChannelRecord {
        guard let typing = entries[channel.url] else { return channel }
        var writer = JSONWriter()
        writer.beginArray()
        for entry in typing { writer.raw(entry.user) }
        writer.endArray()
        guard let json = JSONSlice.setting([("typing_members", writer.bytes)], in: channel.json) else { return channel }
        var shown = channel
        shown.json = json
        return shown
    }

    private mutating func removeEntries(in url: String, where matches: (Entry) -> Bool) -> Bool {
        guard var typing = entries[url] else { return false }
        let before = typing.count
        typing.removeAll(where: matches)
        entries[url] = typing.isEmpty ? nil : typing
        return typing.count < before
    }
}
