import SyncBytes
import SyncModel

/// One input on its way through the machines: what a machine may read beside its own state, and the effects that
/// machines ask for.
///
/// A machine takes a turn as its only argument beside the input. The effects are kept in the order in which they were
/// added; `Engine` carries them out when the machine has returned. When a machine changes something that others read
/// (connection, who is typing, overlays), it writes the change into the turn at once, so that no machine decides on an
/// old state.
struct Turn {
    /// For pure functions, which may read but ask for no effect.
    var context: Context
    private var effects: [Effect] = []

    init(_ context: Context) { self.context = context }

    var now: Moment { context.now }
    var storage: Storage { context.storage }
    var options: EngineOptions { context.options }
    var rules: any ServiceRules { context.rules }
    var capabilities: ServiceCapabilities { context.capabilities }
    var random: RandomSource { context.random }
    var files: any FileLooking { context.files }
    var fileLimit: Int64? { context.fileLimit }
    var connection: Context.Connection { context.connection }
    var drafts: DraftTexts { context.drafts }
    var overlays: Overlays { context.overlays }
    var isPaused: Bool { context.isPaused }
    var maySendByRequest: Bool { context.maySendByRequest }
    var isLoggedIn: Bool { context.isLoggedIn }
    var canSync: Bool { context.canSync }
    var mayStillSync: Bool { context.mayStillSync }
    var loginTime: Int64 { context.loginTime }
    var serviceTime: Int64? { context.serviceTime }
    var counting: CountingPolicy { context.counting }
    var fetchDeadline: Int64 { context.fetchDeadline }
    var shortReason: Completion.ShortReason { context.shortReason }

    func shown(_ channel: ChannelRecord) -> ChannelRecord { context.shown(channel) }

    func cause(of event: ChannelEvent, in url: ChannelURL) -> Cause { context.cause(of: event, in: url) }

    // MARK: Effects

    mutating func add(_ effect: Effect) { effects.append(effect) }

    mutating func tell(_ notice: ClientNotice) { effects.append(.event(.client(notice))) }

    /// Tells the host. Of these notices, a stream hears only of those that change its list.
    mutating func tell(_ collection: CollectionID, _ notice: CollectionNotice) {
        switch (collection, notice) {
        case (.host, _): effects.append(.event(.collection(collection, notice)))
        case (.stream(let stream), .hugeGap): effects.append(.feed(stream: stream, .gapOpened))
        case (.stream, _), (.prefetch, _): break
        }
    }

    /// A list has changed: the host's, or one that feeds a stream.
    mutating func tell(_ change: CollectionChange) {
        switch change.collection {
        case .host: effects.append(.event(.change(change)))
        case .stream(let stream): effects.append(.feed(stream: stream, .changed(change)))
        case .prefetch: break
        }
    }

    /// A call has ended: the host's, or one of a stream.
    mutating func complete(_ completion: Completion) {
        switch completion.call {
        case .host: effects.append(.completion(completion))
        case .stream(let stream, _): effects.append(.feed(stream: stream, .ended(completion)))
        }
    }

    /// The effects since the last time, in order.
    mutating func takeEffects() -> [Effect] {
        defer { effects.removeAll() }
        return effects
    }
}
