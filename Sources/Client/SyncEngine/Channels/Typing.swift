import SyncJSON
import SyncModel

/// Who is typing, by channel. Shown with the channel and never stored: after a restart nobody is known to type.
final class Typing {
    /// How long an entry lasts that is not renewed: the word that ends it may be lost.
    private static let life: Int64 = 10_000

    private struct Entry {
        var userID: UserID
        /// JSON text of the user.
        var user: [UInt8]
        /// By the monotonic clock.
        var until: Int64
    }

    /// Only channels where somebody types; who began first comes first.
    private var entries: [ChannelURL: [Entry]] = [:]

    private var nextExpiry: Int64? { entries.values.joined().map(\.until).min() }

    /// The service said that somebody types in a channel, or does no more.
    func take(
        _ event: ChannelEvent, in url: ChannelURL, _ turn: inout Turn
    ) {
        guard case .typing(let userID, let user, let isTyping) = event,
            userID != turn.options.userID
        else { return }
        guard isTyping else { return turn.add(.typingStopped(channelURL: url, userID: userID)) }
        guard turn.storage.channel(url) != nil else { return }
        let hasBegun = begin(url, userID: userID, user: user, now: turn.now.monotonic)
        if hasBegun {
            turn.add(.shownAgain(channelURL: url, turn.cause(of: event, in: url)))
        }
        turn.add(.timer(.typing, at: nextExpiry))
    }

    /// Somebody types no more: the service said so, or a message of this user came.
    func stopped(_ url: ChannelURL, userID: UserID, _ turn: inout Turn) {
        guard removeEntries(in: url, where: { $0.userID == userID }) else { return }
        let event = ChannelEvent.typing(userID: userID, user: [], isTyping: false)
        turn.add(.shownAgain(channelURL: url, turn.cause(of: event, in: url)))
        turn.add(.timer(.typing, at: nextExpiry))
    }

    /// Takes out, in a fixed order of channels, whose time is over; several may be at once.
    func expire(now: Int64, _ turn: inout Turn) {
        for url in entries.keys.sorted() where removeEntries(in: url, where: { $0.until <= now }) {
            turn.add(.shownAgain(channelURL: url, Cause(.eventTypingStatusUpdated)))
        }
        turn.add(.timer(.typing, at: nextExpiry))
    }

    /// Whether this changes who types.
    private func begin(_ url: ChannelURL, userID: UserID, user: [UInt8], now: Int64) -> Bool {
        let until = now + Typing.life
        if let index = entries[url]?.firstIndex(where: { $0.userID == userID }) {
            entries[url]?[index].until = until
            return false
        }
        entries[url, default: []].append(Entry(userID: userID, user: user, until: until))
        return true
    }

    func forget(_ urls: [ChannelURL], _ turn: inout Turn) {
        for url in urls { entries[url] = nil }
    }

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

    private func removeEntries(in url: ChannelURL, where matches: (Entry) -> Bool) -> Bool {
        guard var typing = entries[url] else { return false }
        let before = typing.count
        typing.removeAll(where: matches)
        entries[url] = typing.isEmpty ? nil : typing
        return typing.count < before
    }
}
