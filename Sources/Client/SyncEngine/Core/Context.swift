import SyncBytes
import SyncJSON
import SyncModel

/// What a machine may read beside its own state: the time, the stores, the connection, the options. Pure functions take
/// only this; machines have it in their `Turn`.
struct Context {
    enum Connection { case offline, connecting, loggedIn(SessionInfo) }

    let now: Moment
    let storage: Storage
    let options: EngineOptions
    let rules: any ServiceRules
    let capabilities: ServiceCapabilities
    let random: RandomSource
    let files: any FileLooking
    var connection: Connection
    /// When the session began, by the monotonic clock.
    var loggedInAt: Int64
    /// The host paused sync.
    var isPaused: Bool
    var stream: StreamState
    /// Who is typing; shown with channels and never stored.
    let typing: Typing
    /// Unsent text of the user; shown with channels.
    let drafts: DraftTexts
    /// Actions that the service has not answered yet; their effect is shown with messages and never stored.
    var overlays: Overlays
    /// The connection is lost, and messages may be sent by requests meanwhile.
    var maySendByRequest = false

    var isLoggedIn: Bool {
        if case .loggedIn = connection { true } else { false }
    }

    /// The service may be asked for pages and changes.
    var canSync: Bool { isLoggedIn && !isPaused }

    /// Whether it makes sense to wait for sync: connected, or an attempt to connect is under way.
    var mayStillSync: Bool {
        if case .offline = connection { false } else { !isPaused }
    }

    /// The service's time of the login; where change logs begin.
    var loginTime: Int64 {
        if case .loggedIn(let info) = connection { info.loginTime } else { 0 }
    }

    /// The cache is over its limit, so messages that sync loads for nobody in particular would be the next to be
    /// evicted.
    var isCacheFull: Bool {
        guard let limit = options.cacheLimit, let total = storage.cacheTotal else { return false }
        return total > limit
    }

    /// Messages older than this are not kept, in the service's milliseconds since the epoch; `nil`: there is no such
    /// limit, or the service's time is not known.
    var keptSince: Int64? {
        guard let age = options.messageAge, let now = serviceTime else { return nil }
        return max(0, now.addingClamped(0 - age))
    }

    /// Bytes of the largest file that the service takes, as it said at this login; `nil`: it is not known.
    var fileLimit: Int64? {
        if case .loggedIn(let info) = connection { info.fileLimit } else { nil }
    }

    /// A channel as hosts see it.
    func shown(_ channel: ChannelRecord) -> ChannelRecord {
        drafts.shown(typing.shown(overlays.shown(channel, rules, by: options.userID)))
    }

    /// A message as it is shown; `nil` when it is shown as deleted.
    func shown(_ message: MessageRecord, in url: ChannelURL) -> MessageRecord? {
        overlays.shown(message, url, rules, by: options.userID)
    }

    /// The service's time now, in milliseconds since the epoch; `nil` without a login.
    var serviceTime: Int64? {
        guard case .loggedIn(let info) = connection else { return nil }
        return info.loginTime.addingClamped(now.monotonic - loggedInAt)
    }

    /// Why a channel changed: the event, and the details that it has (`EventFact`).
    func cause(of event: ChannelEvent, in url: ChannelURL) -> Cause {
        var cause = event.cause(userID: options.userID)
        cause.facts += rules.facts(of: .channel(url: url, event), userID: options.userID)
        return cause
    }

    var counting: CountingPolicy {
        if case .loggedIn(let info) = connection { info.counting } else { CountingPolicy() }
    }

    /// Time a fetch may wait for sync, as a multiple of the request timeout.
    private static let fetchPatience: Int64 = 3

    /// When a fetch that is made now has waited long enough, by the monotonic clock.
    var fetchDeadline: Int64 { now.monotonic + options.requestTimeout * Context.fetchPatience }

    /// Why a fetch ends with less than it wanted.
    var shortReason: Completion.ShortReason { isPaused ? .paused : .offline }
}
