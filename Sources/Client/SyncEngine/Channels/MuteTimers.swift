import SyncJSON
import SyncModel

/// When this user's mutes end in channels whose messages are shown. The service sends an event when a mute ends, except
/// for some that run out by themselves: for these the channel is asked for a little later.
final class MuteTimers: Machine {
    /// Time to wait after the end, in milliseconds: the service's own event should come first, and clocks differ.
    private static let grace: Int64 = 1000

    /// When each channel is asked for, by the monotonic clock.
    private var deadlines: [ChannelURL: Int64] = [:]

    /// Takes the end of the mute from a channel's current state.
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
