import SyncBytes
import SyncJSON
import SyncModel

/// Requests of hosts to the service by `sm_call`: each is sent once, and completes with the service's answer.
///
/// Facts in an answer enter in the same way as events; nothing is written to a collection here.
final class ServiceActions: Machine {
    /// Calls that wait for the service.
    private var calls: [CallID: ActionCall] = [:]
    /// For calls about a reaction: when an event last changed this user's reaction with the same key, while the call
    /// waits; in milliseconds since the epoch.
    private var toldMeanwhile: [CallID: Int64] = [:]
    /// Calls about a poll of which an event has told something since the call was sent.
    private var toldPolls: Set<CallID> = []
    /// Facts about the message that an action concerns, which came while the action was in flight: the answer may be
    /// older.
    private var crossings: [CallID: (action: ActionCall, told: Crossings)] = [:]
    /// The service's description of itself (`told`), as it came with a login, and the result made of it; requested
    /// again when the next login has another description.
    private var serviceInfo: (told: [UInt8], result: [UInt8])?
    private(set) var overlays = Overlays()
    private var typing = OwnTyping()
    /// When everything was last marked as read, by the monotonic clock.
    private var markedAllAt: Int64?

    /// The service refuses a repetition before this time; in milliseconds.
    private static let pauseOfMarkAll: Int64 = 1000

    /// How many calls wait.
    var count: Int { calls.count }

    func ask(_ action: ActionCall, call: CallID, _ turn: inout Turn) {
        calls[call] = action
        if turn.capabilities.missingActions.contains(action.action) {
            return finish(call, .service, failure: turn.rules.failure(.notOffered), &turn)
        }
        guard let action = completed(action, call: call, &turn) else { return }
        let spec = action.action.spec
        guard turn.isLoggedIn else { return finish(call, .notConnected, &turn) }
        let now = turn.now.monotonic
        switch action.action {
        case .reading(.startTyping) where !typing.start(action.channelURL, now: now, &turn):
            return finish(call, .ok, &turn)
        case .reading(.endTyping) where !typing.end(action.channelURL, &turn): return finish(call, .ok, &turn)
        case .reading(.markAllAsRead):
            if let before = markedAllAt, now - before < ServiceActions.pauseOfMarkAll {
                return finish(call, .service, failure: turn.rules.failure(.tooOften), &turn)
            }
            markedAllAt = now
        default: break
        }
        if spec.isOptimistic {
            overlays.add(action, call: call)
            turn.context.overlays = overlays
            turn.add(.overlaid(channelURL: action.channelURL, messageID: action.messageID))
        }
        switch action.action {
        case .message(.editMessage), .message(.translateMessage):
            crossings[call] = (action, Crossings())
            crossings[call]?.told.pageAsked()
        // For other actions nothing is noted: events tell their changes in order, to all members.
        default: break
        }
        turn.add(.ask(.action(call: call, action), .action(action)))
    }

    /// Adds arguments that the service needs; `nil` when the call is complete without the service.
    private func completed(_ action: ActionCall, call: CallID, _ turn: inout Turn) -> ActionCall? {
        switch action.action {
        case .message(.editMessage), .message(.addMetaArrayValues), .message(.removeMetaArrayValues),
            .message(.createMetaArrayKeys), .message(.deleteMetaArrayKeys):
            guard let held = turn.storage.message(action.messageID, in: action.channelURL) else { return action }
            // The service would refuse this too, but only after a round trip.
            if action.action == .message(.editMessage), held.senderID != turn.options.userID {
                finish(call, .notOwnMessage, &turn)
                return nil
            }
            return held.kind == .file ? action.adding(ActionCall.concernsFile, .flag(true)) : action
        case .reading(.startTyping), .reading(.endTyping), .message(.addReaction), .message(.removeReaction):
            return action.adding(ActionCall.sentAt, .integer(turn.now.wall))
        case .library(.serviceInfo):
            guard case .loggedIn(let info) = turn.connection else { return action }
            if let known = serviceInfo, known.told == info.details {
                finish(call, .ok, result: known.result, &turn)
                return nil
            }
            return action.adding(ActionCall.toldAtLogin, .object(info.details))
        default: return action
        }
    }

    /// Ends typing that no host repeated.
    func endTyping(_ turn: inout Turn) {
        for url in typing.takeDue(now: turn.now.monotonic, &turn) {
            let end = ActionCall(
                action: .reading(.endTyping),
                arguments: ["channel_url": .text(url.text), ActionCall.sentAt: .integer(turn.now.wall)])
            turn.add(.ask(.told, .action(end)))
        }
    }

    /// An event told a small change: answers to earlier requests may be older.
    func note(_ patch: MessagePatch, of messageID: MessageID, in url: ChannelURL, _ context: Context) {
        switch patch {
        case .reaction(let reaction): note(reaction, of: messageID, in: url, context)
        case .poll(let change):
            let poll = TextKey(change.pollID)
            // The answer to a vote comes by the event connection, in order.
            for (call, action) in calls
            where action.action != .poll(.votePoll) && action.text("poll_id").map({ TextKey($0) }) == poll {
                toldPolls.insert(call)
            }
        case .threadInfo: break
        }
    }

    private func note(
        _ reaction: MessageReaction, of messageID: MessageID, in url: ChannelURL, _ context: Context
    ) {
        guard reaction.userID == context.options.userID else { return }
        for (call, action) in calls
        where [.message(.addReaction), .message(.removeReaction)].contains(action.action) && action.channelURL == url
            && action.messageID == messageID
            && action.text("key").map({ TextKey($0) }) == TextKey(reaction.key)
        {
            toldMeanwhile[call] = max(toldMeanwhile[call] ?? 0, reaction.updatedAt)
        }
    }

    /// Something became known about messages.
    func note(_ fact: MessageFact) {
        for (call, entry) in crossings
        where entry.action.channelURL == fact.channelURL && fact.concerns(entry.action.messageID) {
            crossings[call]?.told.note(fact)
        }
    }

    /// The message of an answer as if the answer were made now; `nil` when the message was deleted meanwhile.
    func newest(_ message: MessageRecord, of call: CallID, _ rules: any ServiceRules) -> MessageRecord? {
        guard let told = crossings[call]?.told else { return message }
        return told.applied(to: [message], rules).first
    }

    /// The answer was taken in, or none will come.
    func answered(_ call: CallID) { crossings[call] = nil }

    /// Whether an event told something newer than the answer to a call.
    func isOvertaken(_ event: ServiceEvent, of call: CallID) -> Bool {
        switch event {
        case .messagePatched(_, _, .reaction(let reaction)): reaction.updatedAt < toldMeanwhile[call] ?? Int64.min
        // Polls have no time that tells which is newer. But an action of this user on a poll is told to all of the
        // user's connections.
        case .messagePatched(_, _, .poll): toldPolls.contains(call)
        default: false
        }
    }

    func sessionEnded(_ turn: inout Turn) { typing.sessionEnded(&turn) }

    func receive(
        _ reply: ServiceReply, for action: ActionCall, call: CallID, _ turn: inout Turn
    ) {
        switch reply {
        case .action(let answer):
            if let told = action.object(ActionCall.toldAtLogin), let result = answer.result {
                serviceInfo = (told, result)
            }
            finish(call, .ok, result: answer.result, &turn)
        case .failure(let failure): finish(call, Status(failure), failure: failure, &turn)
        default: finish(call, .service, failure: turn.rules.failure(.unexpectedReply), &turn)
        }
    }

    /// Completes a waiting call, whatever the service does. `false` when there is no such call.
    func cancel(_ call: CallID, _ status: Status, _ turn: inout Turn) -> Bool {
        guard calls[call] != nil else { return false }
        finish(call, status, &turn)
        return true
    }

    /// Completes a call that only this library handles.
    static func done(
        _ action: ActionCall, _ call: CallID, _ status: Status, result: [UInt8]? = nil, explanation: String? = nil,
        info: CollectionInfo? = nil, _ turn: inout Turn
    ) {
        turn.complete(Completion(
            call: call, name: .call, status: status, action: action.action, result: result, explanation: explanation,
            info: info))
    }

    /// The same for a call about `count` messages; `nil` when the change could not be stored.
    static func done(_ action: ActionCall, _ call: CallID, count: Int?, _ turn: inout Turn) {
        guard let count else { return done(action, call, .storage, &turn) }
        if count == 0, action.text("request_id") != nil { return done(action, call, .notFound, &turn) }
        let result = JSON.object(["count": .int(Int64(count))]).serialized()
        done(action, call, .ok, result: result, &turn)
    }

    /// Completes all waiting calls. Overlays are dropped without events, since lists are not told any more.
    func end(_ turn: inout Turn) {
        overlays = Overlays()
        turn.context.overlays = overlays
        for call in calls.keys.sorted() { finish(call, .closed, &turn) }
    }

    private func finish(
        _ call: CallID, _ status: Status, result: [UInt8]? = nil, failure: ServiceFailure? = nil,
        _ turn: inout Turn
    ) {
        guard let action = calls.removeValue(forKey: call) else { return }
        toldMeanwhile[call] = nil
        toldPolls.remove(call)
        // After an answer, its facts are stored already and the overlay is not needed; after a failure, the host sees
        // that the overlay is taken back.
        if overlays.remove(action, call: call) {
            turn.context.overlays = overlays
            turn.add(.overlaid(channelURL: action.channelURL, messageID: action.messageID))
        }
        turn.complete(Completion(
            call: call, name: .call, status: status, failure: failure, action: action.action, result: result))
    }
}
