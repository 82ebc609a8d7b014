import SyncJSON
import SyncModel

/// Who is typing, by channel. Shown with the channel and never stored: after a restart nobody is known to type. Only
/// `TypingNotices` changes it; other machines read it.
final class Typing {
    /// How long an entry lasts that is not renewed, since the event that ends it may be lost.
    private static let life: Int64 = 10_000

    private struct Entry {
        var userID: UserID
        /// JSON text of the user.
        var user: [UInt8]
        /// When the entry expires, by the monotonic clock.
        var until: Int64
    }

    /// Only channels in which somebody is typing; in each, the user who began first is the first.
    private var entries: [ChannelURL: [Entry]] = [:]

    var nextExpiry: Int64? { entries.values.joined().map(\.until).min() }

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

    /// Whether this changes who types.
    func begin(_ url: ChannelURL, userID: UserID, user: [UInt8], now: Int64) -> Bool {
        let until = now + Typing.life
        if let index = entries[url]?.firstIndex(where: { $0.userID == userID }) {
            entries[url]?[index].until = until
            return false
        }
        entries[url, default: []].append(Entry(userID: userID, user: user, until: until))
        return true
    }

    /// Whether this changes who types.
    func end(_ url: ChannelURL, userID: UserID) -> Bool { removeEntries(in: url) { $0.userID == userID } }

    /// Removes expired entries. Returns the channels in which something changed, in a fixed order.
    func expire(now: Int64) -> [ChannelURL] {
        entries.keys.sorted().filter { url in removeEntries(in: url) { $0.until <= now } }
    }

    func forget(_ urls: [ChannelURL]) {
        for url in urls { entries[url] = nil }
    }

    private func removeEntries(in url: ChannelURL, where matches: (Entry) -> Bool) -> Bool {
        guard var typing = entries[url] else { return false }
        let before = typing.count
        typing.removeAll(where: matches)
        entries[url] = typing.isEmpty ? nil : typing
        return typing.count < before
    }
}
