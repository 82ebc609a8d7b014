import SyncJSON
import SyncModel

/// When this user's mutes end in channels whose messages are shown. The service tells the end of a mute, but for some
/// that run out by themselves: then the channel is asked for a little later.
final class MuteTimers: Machine {
    /// After the end, in milliseconds: the service's own word is given precedence, and clocks differ.
    private static let grace: Int64 = 1000

    /// By channel, on the monotonic clock.
    private var deadlines: [ChannelURL: Int64] = [:]

    /// A channel as it is now.
    func note(_ channel: ChannelRecord, _ turn: inout Turn) {
        let end = turn.serviceTime.flatMap { time in
            turn.rules.muteEnd(in: channel, userID: turn.options.userID).map { $0.subtractingClamped(time) }
        }
        if let end, end > -MuteTimers.grace, end < Int64(Int32.max) {
            deadlines[channel.url] = turn.now.monotonic + max(end, 0) + MuteTimers.grace
        } else if deadlines.removeValue(forKey: channel.url) == nil {
            return
        }
        turn.add(.timer(.mutes, at: deadlines.values.min()))
    }

    func forget(_ url: ChannelURL, _ turn: inout Turn) {
        guard deadlines.removeValue(forKey: url) != nil else { return }
        turn.add(.timer(.mutes, at: deadlines.values.min()))
    }

    /// Changes that were missed come with the change log of the next login.
    func sessionEnded(_ turn: inout Turn) {
        deadlines = [:]
        turn.add(.timer(.mutes, at: nil))
    }

    /// The channels whose mute is over, in a fixed order.
    func takeDue(_ turn: inout Turn) -> [ChannelURL] {
        let due = deadlines.filter { $0.value <= turn.now.monotonic }.keys.sorted()
        for url in due { deadlines[url] = nil }
        turn.add(.timer(.mutes, at: deadlines.values.min()))
        return due
    }
}
