import SyncModel

/// What the service tells of the chat, by an event or within an answer: each becomes a fact, or an input of the machine
/// that it concerns.
final class ServiceEvents {
    private let collections: MessageCollections
    private let sync: ChannelSync
    private let actions: ServiceActions
    private let typing: TypingNotices
    private let deliveries: DeliveryMarks
    private let streamPoint: StreamPoint
    private let recorder: FactRecorder
    private var unreadTotals = UnreadTotals()

    init(_ machines: Machines, _ recorder: FactRecorder) {
        collections = machines.collections
        sync = machines.sync
        actions = machines.actions
        typing = machines.typing
        deliveries = machines.deliveries
        streamPoint = machines.streamPoint
        self.recorder = recorder
    }

    func take(_ event: ServiceEvent, _ turn: inout Turn) {
        switch event {
        case .messageReceived(let url, let message):
            turn.add(.typingStopped(channelURL: url, userID: message.senderID))
            deliveries.arrived(message, in: url, &turn)
            turn.add(.messages(.received(message, url, by: event, turn.context)))
        case .messageUpdated(let url, let message): turn.add(.messages(.edited(message, url)))
        case .messageDeleted(let url, let id): turn.add(.messages(.deleted(id, url)))
        case .messagePatched(let url, let id, let patch):
            actions.note(patch, of: id, in: url, turn.context)
            turn.add(.messages(.patched(id, patch, url, by: event, turn.context)))
        case .messageRelations(let url, let changes, let cause):
            recorder.record(relations: changes, in: url, cause, &turn)
        case .channel(let url, let event): take(event, of: url, &turn)
        case .unreadCounts(let counts): unreadTotals.take(counts, &turn)
        case .channelAnswered: take(answered: event, [], &turn)
        case .hole(let url, let older, let page):
            // The page counts only if its relations could be stored.
            if !page.relations.isEmpty, !recorder.record(relations: page.relations, in: url, Cause(.sync), &turn) {
                return
            }
            guard collections.take(holeIn: url, older, page, &turn) else { return streamPoint.lost(&turn) }
            turn.add(.leftOut(channelURL: url))
        // These concern the session, not the chat, and `Engine` has handled them.
        case .connected, .disconnected, .batch, .keep: break
        }
    }

    private func take(_ event: ChannelEvent, of url: ChannelURL, _ turn: inout Turn) {
        switch event {
        case .removed(let cause):
            sync.touch(url)
            turn.add(.channels(ChannelFact(removed: [url], cause: cause)))
        case .typing: typing.take(event, in: url, &turn)
        default:
            if case .entered = event { for timeline in collections.timelines.of(url) { timeline.entered(&turn) } }
            let outcome = ChannelFacts.outcome(of: event, in: turn.storage.channel(url), turn.context)
            recorder.record(outcome, url, turn.cause(of: event, in: url), &turn)
        }
    }

    /// An event within the answer to an action. `crossed`: channels that facts touched after the action was sent.
    func take(answered event: ServiceEvent, _ crossed: Set<ChannelURL>, _ turn: inout Turn) {
        let about: (url: ChannelURL, cause: Cause)? =
            switch event {
            case .channelAnswered(let channel, let cause): (channel.url, cause)
            case .channel(let url, let event): crossed.contains(url) ? (url, turn.cause(of: event, in: url)) : nil
            default: nil
            }
        guard let (url, cause) = about else { return take(event, &turn) }
        let outcome = ChannelFacts.outcome(
            ofAnswer: event, isCrossed: crossed.contains(url), in: turn.storage.channel(url), turn.context)
        recorder.record(outcome, url, cause, &turn)
    }
}
