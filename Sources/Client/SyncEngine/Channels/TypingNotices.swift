import SyncModel

/// What the service tells about who is typing, and how long that is valid.
final class TypingNotices {
    let typing = Typing()

    /// The service said that a user types in a channel, or stopped typing.
    func take(_ event: ChannelEvent, in url: ChannelURL, _ turn: inout Turn) {
        guard case .typing(let userID, let user, let isTyping) = event, userID != turn.options.userID else { return }
        guard isTyping else { return turn.add(.typingStopped(channelURL: url, userID: userID)) }
        guard turn.storage.channel(url) != nil else { return }
        if typing.begin(url, userID: userID, user: user, now: turn.now.monotonic) {
            turn.add(.shownAgain(channelURL: url, turn.cause(of: event, in: url)))
        }
        turn.add(.timer(.typing, at: typing.nextExpiry))
    }

    /// A user stopped typing: the service said so, or a message of this user came.
    func stopped(_ url: ChannelURL, userID: UserID, _ turn: inout Turn) {
        guard typing.end(url, userID: userID) else { return }
        let event = ChannelEvent.typing(userID: userID, user: [], isTyping: false)
        turn.add(.shownAgain(channelURL: url, turn.cause(of: event, in: url)))
        turn.add(.timer(.typing, at: typing.nextExpiry))
    }

    /// Ends the entries that have expired; there may be several.
    func expire(now: Int64, _ turn: inout Turn) {
        for url in typing.expire(now: now) {
            turn.add(.shownAgain(channelURL: url, Cause(.eventTypingStatusUpdated)))
        }
        turn.add(.timer(.typing, at: typing.nextExpiry))
    }

    func forget(_ urls: [ChannelURL]) { typing.forget(urls) }
}
