import SyncModel
import SyncStore

/// The one entrance for each fact: facts about messages enter by `record(message:)`, facts about channels by
/// `record(channels:)`, wherever they come from. Each fact is one transaction over cache, timelines, channel and
/// outbox; collections are told after the commit.
final class FactRecorder {
    private let collections: MessageCollections
    private let sync: ChannelSync
    private let lists: ChannelLists
    private let outbox: Outbox
    private let actions: ServiceActions
    private let typing: TypingNotices
    private let drafts: Drafts
    private let mutes: MuteTimers
    private let streamPoint: StreamPoint
    private let notices: Notices

    init(_ machines: Machines) {
        collections = machines.collections
        sync = machines.sync
        lists = machines.lists
        outbox = machines.outbox
        actions = machines.actions
        typing = machines.typing
        drafts = machines.drafts
        mutes = machines.mutes
        streamPoint = machines.streamPoint
        notices = machines.notices
    }

    private var timelines: Timelines { collections.timelines }

    // MARK: Messages

    /// Records a fact about messages. `false` when it could not be stored.
    @discardableResult
    func record(message fact: MessageFact, _ turn: inout Turn) -> Bool {
        let url = fact.channelURL
        let storage = turn.storage
        let cached = storage.channel(url)
        let arrived: MessageRecord? = if case .arrived(let message, _) = fact.kind { message } else { nil }
        // An edit may be the first sign that the service has an own message, when the acknowledgement was lost.
        let completions = fact.messages.compactMap { outbox.sentMessages.confirm($0, in: url, &turn) }
        let timelines = timelines
        let offset = cached?.messageOffset ?? storage.formerMessageOffset(url)
        let fact = fact.visible(from: offset, loginTime: turn.loginTime) { id in
            timelines.of(url).contains { $0.history.hasDeleted(id) }
        }
        let outcome = ChannelFacts.outcome(of: fact, in: cached, turn.context)
        let shown: [MessageCommit.Part] = timelines.of(url).compactMap { timeline in
            fact.concerning(timeline.id).map { (timeline, $0) }
        }
        let part = notices.part(of: fact, isSettled: sync.isSettled(url), turn.context)
        let committed = storage.committed { (cache) throws(StoreError) in
            try notices.store(fact, part, turn.context, cache)
            return try MessageCommit(fact, shown, outcome, replacing: cached, timelines, turn.context, cache)
        }
        actions.note(fact)
        if let committed {
            notices.stored(fact, part, &turn)
            if let arrived { outbox.sentMessages.taken(arrived, in: url, &turn) }
            for message in committed.recorded.flatMap(\.changed) { outbox.sentMessages.taken(message, in: url, &turn) }
            for (entry, recorded) in zip(shown, committed.recorded) {
                entry.timeline.show(entry.fact, recorded, &turn)
            }
            show(outcome, committed.channels, fact, &turn)
        } else {
            streamPoint.lost(&turn)
            for entry in shown { entry.timeline.lose(entry.fact, &turn) }
            // The change of the channel was not stored either, so the channel is asked for.
            sync.touch(url)
            sync.want(url, fact.cause, &turn)
        }
        for completion in completions { turn.complete(completion) }
        return committed != nil
    }

    /// Relations came, or were taken back. `false` when this could not be stored.
    @discardableResult
    func record(relations: RelationChanges, in url: ChannelURL, _ cause: Cause, _ turn: inout Turn) -> Bool {
        let rules = turn.rules
        let messages = turn.storage.cached { (cache) throws(StoreError) in
            try RelatedMessages.folded(relations, in: url, rules, cache)
        }
        guard let messages else {
            streamPoint.lost(&turn)
            return false
        }
        var fact = MessageFact(channelURL: url, kind: .edited(messages), cause: cause)
        fact.relations = relations
        return record(message: fact, &turn)
    }

    private func show(
        _ outcome: ChannelFacts.Outcome, _ commit: ChannelCommit?, _ fact: MessageFact, _ turn: inout Turn
    ) {
        let cause = fact.channelCause(userID: turn.options.userID)
        guard case .changed(let channel) = outcome, let commit else {
            return record(outcome, fact.channelURL, cause, &turn)
        }
        sync.touch(fact.channelURL)
        show(ChannelFact(changed: [channel], cause: cause), commit, &turn)
    }

    /// A page brought a message of this user. If the outbox still has this message, it has been sent.
    func ownMessageSeen(_ message: MessageRecord, in url: ChannelURL, _ turn: inout Turn) {
        // The outbox has it, so no acknowledgement came, and the cached channel does not count this message yet.
        if outbox.sentMessages.holds(message.requestID, in: url) { sync.want(url, Cause(.eventMessageSent), &turn) }
        if let completion = outbox.sentMessages.confirm(message, in: url, &turn) {
            // The page belonged to one history, of the channel or of a thread; the message may belong to both.
            let kind = MessageFact.Kind.arrived(message, isInOrder: false)
            record(message: MessageFact(channelURL: url, kind: kind, cause: Cause(.eventMessageSent)), &turn)
            turn.complete(completion)
        }
        outbox.sentMessages.taken(message, in: url, &turn)
    }

    // MARK: Channels

    /// Records a fact about channels. `false` when it could not be stored.
    func record(channels fact: ChannelFact, _ turn: inout Turn) -> Bool {
        let (timelines, isSettled) = (timelines, sync.isSettled)
        let committed = turn.storage.committed { (cache) throws(StoreError) in
            let commit = try ChannelCommit(fact.changed, replacing: nil, turn.capabilities, cache) {
                timelines.of($0).map(\.history)
            }
            for url in fact.removed { try cache.channels.delete(url) }
            for (key, value) in fact.progress { try cache.setValue(key, value) }
            let part = try notices.store(fact, commit.replaced, isSettled: isSettled, turn.context, cache)
            return (commit: commit, notices: part)
        }
        guard let committed else { return false }
        notices.stored(committed.notices, &turn)
        show(fact, committed.commit, &turn)
        return true
    }

    /// As `record(channels:)`, for what an event or an answer says only once: if it cannot be stored, the service is
    /// asked for these channels.
    func recordOrAsk(channels fact: ChannelFact, _ turn: inout Turn) {
        if record(channels: fact, &turn) { return }
        for url in fact.changed.map(\.url) + fact.removed {
            sync.touch(url)
            sync.want(url, fact.cause, &turn)
        }
    }

    /// Carries out what a fact did to a channel.
    func record(_ outcome: ChannelFacts.Outcome, _ url: ChannelURL, _ cause: Cause, _ turn: inout Turn) {
        switch outcome {
        case .nothing: break
        case .mayCross: sync.touch(url)
        case .mustBeAsked:
            sync.touch(url)
            sync.want(url, cause, &turn)
        case .changed(let channel):
            sync.touch(url)
            turn.add(.channels(ChannelFact(changed: [channel], cause: cause)))
        case .overtaken(let channel):
            if let channel { turn.add(.channels(ChannelFact(changed: [channel], cause: cause))) }
            sync.recheck(url, cause, &turn)
        }
    }

    private func show(_ fact: ChannelFact, _ commit: ChannelCommit, _ turn: inout Turn) {
        for cut in commit.cuts { timelines[cut.id]?.adopt(cut: cut.history, before: cut.order, &turn) }
        // A mention is told to channel lists only. Message lists start over because the channel was replaced, and this
        // was found by asking for it.
        let isMention = fact.cause.source == .eventMention
        let restart = isMention ? Cause(.channelRefresh, fact.cause.facts) : fact.cause
        for timeline in commit.replaced.flatMap({ timelines.of($0) }) {
            timeline.startOver(restart, refills: true, &turn)
        }
        typing.forget(fact.removed)
        drafts.forget(fact.removed, &turn)
        lists.show(fact, &turn)
        // Messages that wait in a removed channel are sent all the same: the service refuses them, and then the host is
        // told.
        for url in fact.changed.map(\.url) + fact.removed { outbox.channelChanged(url, &turn) }
        for channel in fact.changed {
            let shown = timelines.of(channel.url)
            guard !shown.isEmpty else { continue }
            mutes.note(channel, &turn)
            let json = turn.shown(channel).json
            for timeline in shown { timeline.tellChannel(json, fact.cause, &turn) }
        }
        for timeline in fact.removed.flatMap({ timelines.of($0) }) { timeline.channelGone(fact.cause, &turn) }
    }

    /// A channel did not change, but what hosts see of it did.
    func showAgain(_ url: ChannelURL, _ cause: Cause, _ turn: inout Turn) {
        guard let channel = turn.storage.channel(url) else { return }
        show(ChannelFact(changed: [channel], cause: cause), ChannelCommit(), &turn)
    }

    /// An overlay on a message came or went.
    func overlaid(_ id: MessageID, in url: ChannelURL, _ turn: inout Turn) {
        for timeline in timelines.of(url) { timeline.showAgain(id, Cause(.localAction), &turn) }
        if turn.storage.channel(url)?.lastMessage?.id == id { showAgain(url, Cause(.localAction), &turn) }
    }
}
