import SyncJSON
import SyncModel
import SyncStore

/// Own messages that the service does not have, or not for certain: in flight or failed.
///
/// The problem. A message that the host saw accepted must be sent or visibly fail, whatever crashes in between; a retry
/// after a lost acknowledgement must not create a second message; and messages of one channel must arrive in the order
/// in which they were written.
///
/// The rules. An intent is on disk before the host is told. For each channel one message is sent at a time, oldest
/// first. The request id stays the same for every attempt; by it, the service or a page shows that an earlier attempt
/// had arrived. The sent message is stored in the cache before the intent is removed: after a crash in between, it is
/// sent once more with the same id. Pages of the service never change these lists.
///
/// `SendOrder` decides which message of a channel is sent next, and when. For a send that was held back by a pause of
/// the service, this is decided again when the pause is over.
///
/// A send without an acknowledgement may have arrived all the same: the channel's history is told so
/// (`Effect.sendEnded`), and knows from which position on it is in doubt.
final class Outbox: Machine {
    var messages = OwnMessages()
    var calls = SendCalls()
    var order = SendOrder()
    var ages = OwnAges()
    var leaving = LeavingMessages()
    var uploads = Uploads()
    var windows = OwnWindows()

    init() {}

    func channelURL(of requestID: RequestID) -> ChannelURL? { messages.channelURL(of: requestID) }

    var isSending: Bool { messages.isSending }

    func intent(_ requestID: RequestID) -> Intent? { messages.intent(requestID) }

    /// Every message in the outbox.
    var all: [Intent] { messages.all }

    func isSending(in url: ChannelURL) -> Bool { messages[url]?.isSending == true }

    // MARK: Start

    /// Reads the messages that an earlier process left.
    func load(_ turn: inout Turn) {
        let stored = turn.storage.intended { (intents) throws(StoreError) in try intents.intents() } ?? []
        let isTold = ToldMessages.stored(turn.context)
        for var intent in stored {
            if isTold(intent) || OwnAges.isTooOldToKeep(intent, turn.context) {
                messages.settle(stored: intent)
                continue
            }
            // For a message that the host was sending by itself, nobody is left to say how it ended; and a message that
            // has waited too long is not sent any more.
            let isStale = OwnAges.isTooOldToSend(intent, turn.context)
            if intent.status == .pending, intent.isHostSent || isStale {
                intent.status = .failed
                intent.errorCode = turn.rules.failure(isStale ? .tooOld : .neverAnswered).code
                // With the code alone, the next connection would send it again.
                intent.retryCount = max(intent.retryCount, isStale ? turn.options.resendRetryCount : 1)
                _ = messages.persist(intent, turn.context)
            }
            messages.put(intent)
        }
        for url in messages.channelURLs {
            for intent in messages.tooMany(url, turn.context) {
                settle(intent)
            }
        }
        clearSettled(turn.context)
        ages.reset(all, &turn)
    }

    // MARK: Messages of the host

    /// Stores an intent and shows it as pending.
    func accept(
        _ requestID: RequestID, _ body: [UInt8], _ url: ChannelURL, isHostSent: Bool, _ call: CallID,
        _ name: Completion.Name, _ turn: inout Turn
    ) -> Bool {
        guard intent(requestID) == nil else {
            turn.complete(Completion(
                call: call, name: name, status: .invalidArgument, explanation: "request_id is already in use"))
            return false
        }
        // A settled intent with this id may still be on disk.
        clearSettled(turn.context)
        let drafts = turn.drafts.places(sentBy: body, in: url)
        let added = turn.storage.intended { (intents) throws(StoreError) in
            try intents.transaction { () throws(StoreError) in
                for place in drafts { try intents.removeDraft(in: url, parentID: place.parentID) }
                return try intents.add(
                    channelURL: url, requestID: requestID, createdAt: turn.now.wall, body: body,
                    isHostSent: isHostSent)
            }
        }
        guard let added else {
            turn.complete(Completion(call: call, name: name, status: .storage))
            return false
        }
        messages.put(added)
        windows.put(added, Cause(.localMessagePendingCreated), &turn)
        if !drafts.isEmpty { turn.add(.draftsSent(drafts)) }
        ages.note(added, &turn)
        return true
    }

    /// A failed message becomes pending again, on disk and in the lists.
    func restart(
        _ failed: Intent, isHostSent: Bool, _ turn: inout Turn
    ) -> Bool {
        var pending = failed
        pending.status = .pending
        if failed.isHostSent, !isHostSent, let files = FileDocument(failed.body) {
            files.complete()
            pending.body = files.body
        }
        pending.isHostSent = isHostSent
        pending.retryCount = max(1, failed.retryCount)
        guard messages.persist(pending, turn.context) else { return false }
        messages.put(pending)
        windows.put(pending, Cause(.localMessageResendStarted), &turn)
        return true
    }

    /// Gives up the message of a send whose call is canceled. `false` when no such call waits, or when the message
    /// cannot be removed from the disk.
    func cancel(_ call: CallID, _ status: Status, _ turn: inout Turn) -> Bool {
        guard let key = calls.requestID(of: call), let intent = intent(key), forget(intent, turn.context)
        else { return false }
        windows.remove(intent, .removeManualAction, Cause(.localMessageCanceled), &turn)
        calls.drop(key)
        let message = turn.rules.json(
            of: OwnMessageContent(intent, isCanceled: true), userID: turn.options.userID)
        turn.complete(Completion(
            call: call, name: .sendMessage, status: status, requestID: intent.requestID, message: message))
        return true
    }

    // MARK: Session

    func sessionBegan(_ turn: inout Turn) {
        order.sessionBegan()
        leaveSentByRequest(turn.context)
        // The machine may have slept for days: messages that are too old must not be sent before the timer fires.
        expire(&turn)
        pumpAll(&turn)
    }

    /// A session begins. It brings the messages that were sent without one: they are shown as pending until then, but
    /// at most until the session has caught up, since they may have been deleted meanwhile.
    private func leaveSentByRequest(_ context: Context) {
        // Where changes are in the stream, the stream brings accepted messages.
        guard context.capabilities.messageChanges != .inStream else { return }
        for intent in all where intent.status == .accepted {
            leaving.add(intent)
            settle(intent)
        }
    }

    /// Channel sync got its complete answer.
    func synced(_ turn: inout Turn) {
        if turn.isLoggedIn, order.synced() { pumpAll(&turn) }
    }

    /// Something that may have held messages back is over: for example a pause, or a frozen channel.
    func pumpAll(_ turn: inout Turn) {
        for url in messages.channelURLs { pump(url, &turn) }
    }

    func channelChanged(_ url: ChannelURL, _ turn: inout Turn) {
        if messages[url] != nil, turn.isLoggedIn { pump(url, &turn) }
    }

    func sessionEnded(_ turn: inout Turn) {
        uploads.sessionEnded()
        for url in messages.channelURLs {
            // Failures of this session must not delay messages in the next one.
            messages[url]?.gate.succeed()
            turn.add(.timer(.outbox(channelURL: url), at: nil))
            failWhatCannotWait(url, &turn)
        }
        if turn.maySendByRequest { pumpAll(&turn) }
    }

    /// Completes what is still open.
    func end(_ turn: inout Turn) { calls.end(&turn) }

    // MARK: Sending

    /// Sends the oldest waiting message of a channel, if none is being sent.
    func pump(_ url: ChannelURL, _ turn: inout Turn) {
        guard turn.isLoggedIn || turn.maySendByRequest else { return failWhatCannotWait(url, &turn) }
        guard let channel = messages[url], !channel.isSending,
            let intent = order.next(in: channel, url, messages.files, turn.context)
        else { return }
        if order.isStale(intent, turn.context) {
            // The machine slept while the message waited, and the timer has not fired yet.
            expire(&turn)
            return pump(url, &turn)
        }
        guard messages[url]?.gate.isOpen(at: turn.now.monotonic) == true else {
            return turn.add(.timer(.outbox(channelURL: url), at: channel.gate.pausedUntil))
        }
        if intent.status == .failed {
            // An automatic retry: shown as pending again.
            _ = restart(intent, isHostSent: false, &turn)
        }
        messages[url]?.sending = intent.requestID
        let ask: (Ask, ServiceRequest) = turn.isLoggedIn
            ? (
                .send(requestID: intent.requestID, channelURL: url),
                .sendMessage(channelURL: url, requestID: intent.requestID, body: intent.body))
            : (
                .sendByRequest(requestID: intent.requestID, channelURL: url),
                .sendMessageByRequest(channelURL: url, requestID: intent.requestID, body: intent.body))
        turn.add(.ask(ask.0, ask.1))
    }

    /// A send that waited for the end of the service's pause was not sent. Which message is sent, and whether any is,
    /// is decided again: meanwhile the message may have been deleted or may be too old, its channel may have been
    /// frozen, or another message may have to be sent first.
    func pauseEnded(_ url: ChannelURL, _ turn: inout Turn) {
        messages[url]?.sending = nil
        turn.add(.sendEnded(channelURL: url, isInDoubt: false))
        pump(url, &turn)
        messages.dropIfEmpty(url)
    }

    /// Without automatic resending, a message that cannot be sent now fails now.
    private func failWhatCannotWait(_ url: ChannelURL, _ turn: inout Turn) {
        guard turn.options.resendPolicy != .automatic, !turn.maySendByRequest, case .offline = turn.connection else {
            return
        }
        for intent in messages[url]?.intents ?? [] where intent.status == .pending && !intent.isHostSent {
            fail(intent, turn.rules.failure(.notConnected), &turn)
        }
    }

    /// `isForGood`: it is sent again only if the host asks for it.
    func fail(
        _ intent: Intent, _ failure: ServiceFailure, isForGood: Bool = false, _ turn: inout Turn
    ) {
        var failed = intent
        failed.status = .failed
        failed.errorCode = failure.code
        failed.retryCount += 1
        order.drop(intent.requestID)
        if isForGood { failed.retryCount = max(failed.retryCount, turn.options.resendRetryCount) }
        if turn.options.resendPolicy == .none {
            windows.remove(intent, .removeUnknown, Cause(.localMessageFailed), &turn)
            settle(intent)
        } else {
            _ = messages.persist(failed, turn.context)
            messages.put(failed)
            windows.put(failed, Cause(.localMessageFailed), reason: .updateResendFailed, &turn)
            ages.note(failed, &turn)
            enforceLimit(intent.channelURL, &turn)
        }
        // For a host, "not found" means an unknown message; here the service refused a message because its channel is
        // gone.
        let status = failure.kind == .notFound ? Status.service : Status(failure)
        if let completion = calls.take(intent.requestID, status, failure) { turn.complete(completion) }
    }

    private func enforceLimit(_ url: ChannelURL, _ turn: inout Turn) {
        for intent in messages.tooMany(url, turn.context) { drop(intent, .removeExceededMaxCount, &turn) }
    }

    private func drop(_ intent: Intent, _ reason: FailedReason, _ turn: inout Turn) {
        settle(intent)
        showGivenUp(intent, reason, &turn)
    }

    /// Messages that have waited too long fail for good, and messages that failed too long ago are removed.
    func expire(_ turn: inout Turn) {
        for intent in all {
            if OwnAges.isTooOldToKeep(intent, turn.context) {
                drop(intent, .removeRetentionExpired, &turn)
            } else if intent.status == .pending, OwnAges.isTooOldToSend(intent, turn.context),
                messages[intent.channelURL]?.sending != intent.requestID
            {
                fail(intent, turn.rules.failure(.tooOld), isForGood: true, &turn)
            }
        }
        ages.reset(all, &turn)
    }

    // MARK: Telling

    func showGivenUp(_ intent: Intent, _ reason: FailedReason, _ turn: inout Turn) {
        windows.remove(
            intent, reason, Cause(intent.hasFailed ? .eventMessageDeleted : .localMessageCanceled), &turn)
        guard var completion = calls.take(intent.requestID, .removed) else { return }
        completion.requestID = nil
        turn.complete(completion)
    }

    // MARK: Done with

    func settle(_ intent: Intent) {
        order.drop(intent.requestID)
        messages.settle(intent)
    }

    /// The service has told this message, and may not tell it again.
    func settle(told intent: Intent, _ context: Context) {
        settle(intent)
        ToldMessages.note(messages.settled, context)
    }

    func forget(_ intent: Intent, _ context: Context) -> Bool {
        guard messages.forget(intent, context) else { return false }
        order.drop(intent.requestID)
        return true
    }

    /// Removes settled intents from the disk: after their message is in the cache, at the next input, and at closing.
    func clearSettled(_ context: Context) { messages.clearSettled(context) }
}
