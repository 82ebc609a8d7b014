import SyncJSON
import SyncModel

@testable import SyncEngine

/// What must hold after every step.
extension Simulation {
    /// Every fact is a JSON object with the source it belongs to. Own reading is not told as another member's, nor the
    /// other way round, and a mention is told of channels only.
    func checkFacts(_ cause: Cause, isOfChannel: Bool) throws {
        func isRight(_ fact: EventFact) -> Bool {
            guard let json = try? JSON.parse(fact.json), json["event"]?.string == fact.source.rawValue,
                fact.source.isFromEvent || fact.source == .eventPollChangelog
            else { return false }
            let isMe = json["user"]?["user_id"]?.string == SimulatedService.me
            switch fact.source {
            case .eventUserMarkedRead, .eventUserMarkedUnread: return !isMe
            case .eventCurrentUserMarkedRead, .eventCurrentUserMarkedUnread: return isMe
            // A channel that was asked for after several events tells all their facts, and the last one's source.
            case .eventMention where isTakingFrame && isOfChannel: return cause.source == .eventMention
            default: return true
            }
        }
        if let fact = cause.facts.first(where: { !isRight($0) }) {
            throw Violation(
                description: "a fact of \(cause.source.rawValue): \(String(decoding: fact.json, as: UTF8.self))")
        }
        if cause.source == .eventMention, !isOfChannel {
            throw Violation(description: "a message list is told of a mention")
        }
    }

    /// An own message that the socket brings does not count as unread, not even until the receipt that follows it. An
    /// answer about its channel may bring what others wrote.
    func checkOwnIsRead(_ change: CollectionChange) throws {
        guard isTakingFrame, change.list == .channels, change.cause.source == .eventMessageSent else { return }
        let shown = told.rows(change.collection, .channels)
        for item in change.items {
            guard let before = shown.first(where: { $0.id == item.id }), let after = try? JSON.parse(item.json) else {
                continue
            }
            let counts = [try JSON.parse(before.json), after].map { $0["unread_message_count"]?.int ?? 0 }
            guard counts[1] > counts[0] else { continue }
            throw Violation(
                description: "an own message in \(item.id) is counted: \(counts[0]) unread, then \(counts[1])")
        }
    }

    func check() throws {
        if let violation { throw violation }
        noteLoaded()
        try checkLife()
        try checkDatabase()
        try checkDownloads()
        try checkReplay(told)
        try checkSearchReplay(told)
        try checkStreams()
        if host.isEmpty {
            try checkReplay(host.replay)
            try checkSearchReplay(host.replay)
        }
        for (url, view) in engine.shownMessages {
            try checkOrder(view)
            try checkHoles(view, url)
        }
        if engine.isAtRest, isConnected, !isPaused, !network.isCarrying, !network.hasDeadSocket {
            knowledge.nothingInDoubt(shown: Set(engine.shownMessages.map(\.channelURL)))
        }
    }

    /// Neighbours here are neighbours on the server. Excused are:
    /// - an own message that is pending or failed here: it is shown in those lists, wherever it stands, until it is
    ///   shown as sent (the answer about a thread may be the first to tell that the service has it);
    /// - an own message whose send ended without the service's word, until the engine has come to rest: nobody told us
    ///   that the service has it, and it is being asked for;
    /// - what stands before messages that only the host itself told of: the host's own connection may overtake the
    ///   library's, and what came before is on its way, or was lost with the socket and comes with the gap check;
    /// - a message whose deletion is asked for: it is shown as deleted until the service has answered;
    /// - a message whose time the service changed, until the engine has come to rest: the edit that tells of it is
    ///   under way;
    /// - an older message of a channel that this user left and came into again, until the engine has heard of it.
    private func checkHoles(_ view: MessageWindow, _ url: String) throws {
        let rows = view.window.rows
        guard let first = rows.first, let last = rows.last, rows.count > 1 else { return }
        let held = Set(rows.map(\.id.text))
        for (id, createdAt) in service.messageIDs(url) {
            let position = MessagePosition(order: createdAt, tie: id)
            guard position > first.position, position < last.position, !held.contains(String(id)),
                let message = service.messages[id], service.isShown(message, by: view.filter)
            else { continue }
            if isUnderWay(message, view) || knowledge.moved[String(id)] != nil { continue }
            if let newest = knowledge.restored[url], id <= newest { continue }
            if engine.overlays.hasDeletion(MessageID(String(id)), in: ChannelURL(url)) { continue }
            let behind = rows.drop { $0.position < position }
            if behind.allSatisfy({ knowledge.toldByHost.contains($0.id.text) }) { continue }
            throw Violation(
                description:
                    "collection \(view.id) in \(url): a hole at \(id) (\(message.text)) before "
                        + (behind.first?.id.text ?? "")
            )
        }
    }

    /// An own message whose send has not ended for sure.
    private func isUnderWay(_ message: SimulatedService.Message, _ view: MessageWindow) -> Bool {
        guard message.sender == SimulatedService.me, let requestID = knowledge.requestIDs[message.text] else {
            return false
        }
        let own = engine.shownOwnMessages(view.id)
        return knowledge.inDoubt.contains(requestID)
            || engine.ownMessages.contains { $0.requestID.text == requestID }
            || (own.pending + own.failed).contains { $0.id.text == requestID }
    }
}
