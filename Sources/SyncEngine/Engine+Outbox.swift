import SyncJSON
import SyncModel
import SyncStore

extension Engine {
    private static let day: Int64 = 86_400_000
    /// Pending messages older than this at start are given up.
    private static let pendingLifetime: Int64 = 3 * day

    // MARK: Start

    func loadOutbox() {
        for var intent in stored({ () throws(StoreError) in try intents.intents(channelURL: nil) }) ?? [] {
            if isExpired(intent) {
                stored { () throws(StoreError) in try intents.remove(requestID: intent.requestID) }
                continue
            }
            // Nobody is left to tell how a message ended that the host was sending by its own means; and what has
            // waited too long is not sent any more.
            let isStale = now.wall - intent.createdAt > Engine.pendingLifetime
            if intent.status == .pending, intent.isHostSent || isStale {
                intent.status = .failed
                intent.errorCode = 800_101
                // That code alone would be cured by the next connection.
                if isStale { intent.retryCount = max(intent.retryCount, options.resendRetryCount) }
                _ = persist(intent)
            }
            outbox.put(intent)
        }
    }

    private func isExpired(_ intent: Intent) -> Bool {
        intent.status == .failed && now.wall - intent.createdAt > Int64(options.failedRetentionDays) * Engine.day
    }

    // MARK: Host calls

    func sendMessage(_ collection: UInt64, _ requestID: String, _ body: [UInt8], _ call: UInt64) {
        guard let view = messageViews[collection] else { return complete(call, "send_message", .removed) }
        guard let intent = accept(requestID, body, view.channelURL, isHostSent: false, call, "send_message") else {
            return
        }
        outbox.calls[requestID] = Outbox.Call(call: call, name: "send_message")
        pumpOutbox(intent.channelURL)
    }

    func appendMessage(_ collection: UInt64, _ requestID: String, _ body: [UInt8], _ call: UInt64) {
        guard let view = messageViews[collection] else { return complete(call, "append_message", .removed) }
        guard accept(requestID, body, view.channelURL, isHostSent: true, call, "append_message") != nil else { return }
        complete(call, "append_message", .ok, members: [("request_id", jsonText(requestID))])
    }

    /// Writes an intent down and shows it as pending.
    private func accept(
        _ requestID: String, _ body: [UInt8], _ url: String, isHostSent: Bool, _ call: UInt64, _ name: String
    ) -> Intent? {
        guard outbox.entry(requestID) == nil else {
            complete(call, name, .invalidArgument, members: [("message", jsonText("request_id is already in use"))])
            return nil
        }
        let added = stored { () throws(StoreError) in
            try intents.add(
                channelURL: url, requestID: requestID, createdAt: now.wall, body: body, isHostSent: isHostSent)
        }
        guard let added else {
            complete(call, name, .storage)
            return nil
        }
        outbox.put(added)
        insertPending(added, source: .localMessagePendingCreated)
        return added
    }

    func resendMessage(_ collection: UInt64, _ requestID: String, _ call: UInt64) {
        guard let failed = outbox.entry(requestID), failed.status == .failed else {
            return complete(call, "send_message", .notFound)
        }
        var intent = failed
        intent.status = .pending
        intent.isHostSent = false
        guard persist(intent) else { return complete(call, "send_message", .storage) }
        removeFailed(failed, reason: .none, source: .localMessageResendStarted)
        outbox.put(intent)
        insertPending(intent, source: .localMessageResendStarted)
        outbox.calls[requestID] = Outbox.Call(call: call, name: "send_message")
        pumpOutbox(intent.channelURL)
    }

    func handleSendResponse(
        _ collection: UInt64, _ requestID: String, _ message: MessageRecord?, _ errorCode: Int, _ call: UInt64
    ) {
        guard let intent = outbox.entry(requestID) else {
            return complete(call, "handle_send_response", .notFound)
        }
        if let message {
            guard message.senderID == options.userID else {
                return complete(call, "handle_send_response", .notOwnMessage)
            }
            sent(intent, message, isInOrder: false)
        } else {
            fail(intent, ServiceFailure(kind: .refused, code: errorCode, message: "the host could not send it"))
        }
        complete(call, "handle_send_response", .ok, members: [("request_id", jsonText(requestID))])
    }

    // MARK: Sending

    /// Sends the oldest message of a channel that waits, one at a time.
    func pumpOutbox(_ url: String) {
        guard connection.isLoggedIn, !isClosed, let list = outbox.entries[url] else {
            if !connection.isLoggedIn { failWhatCannotWait(url) }
            return
        }
        guard !list.contains(where: { outbox.sending.contains($0.requestID) }) else { return }
        guard let intent = list.first(where: { isToBeSent($0) }) else { return }
        if intent.status == .failed { restart(intent) }
        outbox.sending.insert(intent.requestID)
        ask(.sendMessage(channelURL: url, requestID: intent.requestID, body: intent.body)) { [self] reply in
            outbox.sending.remove(intent.requestID)
            guard let current = outbox.entry(intent.requestID) else {
                // The message has come back by another road, or was given up too late: the service has it.
                if case .message(let message) = reply { take(message, url) }
                return pumpOutbox(url)
            }
            switch reply {
            case .message(let message):
                outbox.backoff[url] = nil
                sent(current, message)
                pumpOutbox(url)
            case .failure(let failure):
                fail(current, failure)
                if connection.isLoggedIn { planRetry(url, failure) }
            default:
                fail(current, ServiceFailure(kind: .unavailable, code: 800_130, message: "the answer was no message"))
                if connection.isLoggedIn { planRetry(url, nil) }
            }
        }
    }

    private func isToBeSent(_ intent: Intent) -> Bool {
        if intent.isHostSent { return false }
        if intent.status == .pending { return true }
        return options.resendPolicy == .automatic && intent.retryCount < options.resendRetryCount
            && Engine.isCurable(intent.errorCode)
    }

    /// Without automatic resending a message that cannot go out now has failed now.
    func failWhatCannotWait(_ url: String) {
        guard options.resendPolicy != .automatic, !connection.isOpen else { return }
        for intent in outbox.entries[url] ?? [] where intent.status == .pending && !intent.isHostSent {
            fail(intent, ServiceFailure(kind: .unreachable, code: 800_101, message: "there is no connection"))
        }
    }

    private func planRetry(_ url: String, _ failure: ServiceFailure?) {
        var backoff = outbox.backoff[url] ?? Backoff()
        let wait = pause(&backoff, after: failure)
        outbox.backoff[url] = backoff
        timers.set(.outbox(url), at: now.monotonic + wait)
    }

    /// An automatic retry: the failed message is shown as under way again.
    private func restart(_ intent: Intent) {
        var again = intent
        removeFailed(intent, reason: .none, source: .localMessageResendStarted)
        again.status = .pending
        _ = persist(again)
        outbox.put(again)
        insertPending(again, source: .localMessageResendStarted)
    }

    /// Codes that a later attempt can cure: connection, timeout, overload, rate.
    static func isCurable(_ code: Int) -> Bool {
        [
            800_101, 800_120, 800_180, 800_190, 800_200, 800_210, 800_220, 800_221, 500_901, 500_910, 900_200,
        ].contains(code)
    }

    private func persist(_ intent: Intent) -> Bool {
        stored { () throws(StoreError) in
            try intents.update(
                requestID: intent.requestID, status: intent.status, errorCode: intent.errorCode,
                retryCount: intent.retryCount)
            return true
        } ?? false
    }

    /// The service has the message. A host's own connection may tell so before ours told what came earlier.
    private func sent(_ intent: Intent, _ message: MessageRecord, isInOrder: Bool = true) {
        let wasFailed = intent.status == .failed
        if wasFailed {
            removeFailed(intent, reason: .removeResendSucceeded, source: .eventMessageSent)
        } else {
            removePending(intent, source: .eventMessageSent)
        }
        take(message, intent.channelURL, isInOrder: isInOrder)
        forget(intent)
        if let call = outbox.calls.removeValue(forKey: intent.requestID) {
            complete(call.call, call.name, .ok, members: [
                ("request_id", jsonText(intent.requestID)), ("message", message.json),
            ])
        }
    }

    /// An own message as the service has it.
    private func take(_ message: MessageRecord, _ url: String, isInOrder: Bool = true) {
        if let timeline = timelines[url] {
            arrived(message, in: timeline, source: .eventMessageSent, isInOrder: isInOrder)
        } else {
            storeIfCovered(message, url)
        }
        channelGotMessage(url, message)
    }

    /// Takes an intent out of the outbox and, at once or as soon as that is possible, off the disk.
    private func forget(_ intent: Intent) {
        outbox.remove(intent)
        outbox.forgotten.append(intent.requestID)
        clearForgotten()
    }

    /// Tries to take off the disk what could not be: at the next occasion, and at the last.
    func clearForgotten() {
        outbox.forgotten.removeAll { id in
            stored { () throws(StoreError) in
                try intents.remove(requestID: id)
                return true
            } ?? false
        }
    }

    /// A late answer may tell of a message inside what the cache calls complete, in a channel that nobody shows.
    private func storeIfCovered(_ message: MessageRecord, _ url: String) {
        stored { () throws(StoreError) in
            let key = try cache.channelKey(url)
            let isCovered = try cache.chunks(channel: key).contains {
                ($0.start <= message.position || $0.reachedFirst) && message.position <= $0.end
            }
            if isCovered { try cache.upsert([message], channel: key) }
        }
    }

    private func fail(_ intent: Intent, _ failure: ServiceFailure) {
        var failed = intent
        if failed.status == .pending { removePending(intent, source: .localMessageFailed) }
        failed.status = .failed
        failed.errorCode = failure.code
        failed.retryCount += 1
        if options.resendPolicy == .none {
            forget(intent)
        } else {
            _ = persist(failed)
            outbox.put(failed)
            insertFailed(failed)
            enforceFailedLimit(intent.channelURL)
        }
        if let call = outbox.calls.removeValue(forKey: intent.requestID) {
            let status: Completion.Status = failure.kind == .unreachable
                ? (failure.code == 800_180 ? .timeout : .network) : .service
            complete(
                call.call, call.name, status,
                members: [("request_id", jsonText(intent.requestID))] + Engine.members(of: failure))
        }
    }

    private func enforceFailedLimit(_ url: String) {
        let failed = (outbox.entries[url] ?? []).filter { $0.status == .failed }
        for intent in failed.prefix(max(0, failed.count - options.maxFailedPerChannel)) {
            giveUp(intent, reason: .removeExceededMaxCount)
            forget(intent)
        }
    }

    /// Tells views and caller; outbox and disk are left to whoever gives it up.
    private func giveUp(_ intent: Intent, reason: FailedReason) {
        if intent.status == .failed {
            removeFailed(intent, reason: reason, source: .eventMessageDeleted)
        } else {
            removePending(intent, source: .localMessageCanceled)
        }
        if let call = outbox.calls.removeValue(forKey: intent.requestID) { complete(call.call, call.name, .removed) }
    }

    /// A message with a request id came by a page or by the socket: if it is one of ours, it has been sent.
    func outboxSaw(_ message: MessageRecord, channelURL: String) {
        guard message.senderID == options.userID, let intent = outbox.entry(message.requestID),
            intent.channelURL == channelURL
        else { return }
        sent(intent, message)
    }

    // MARK: Editing and deleting

    func updateMessage(_ collection: UInt64, _ id: Int64, _ requestID: String, _ body: [UInt8], _ call: UInt64) {
        guard let view = messageViews[collection] else { return complete(call, "update_message", .removed) }
        if id == 0 { return updateFailed(requestID, body, call) }
        guard mayChange(id, view, call, "update_message") else { return }
        edits[call] = "update_message"
        ask(.updateMessage(channelURL: view.channelURL, messageID: id, body: body)) { [self] reply in
            edits[call] = nil
            switch reply {
            case .message(let message):
                if let timeline = timelines[view.channelURL] {
                    edited(message, in: timeline, source: .eventMessageUpdated)
                }
                complete(call, "update_message", .ok, members: [("message", message.json)])
            case .failure(let failure): completeFailed(call, "update_message", failure)
            default: complete(call, "update_message", .service)
            }
        }
    }

    private func updateFailed(_ requestID: String, _ body: [UInt8], _ call: UInt64) {
        guard var intent = outbox.entry(requestID), intent.status == .failed,
            let document = try? JSON.parse(intent.body), let changes = (try? JSON.parse(body))?.members
        else { return complete(call, "update_message", .notFound) }
        for (key, value) in changes { document.set(key, value) }
        intent.body = document.serialized()
        let done: Bool? = stored { () throws(StoreError) in
            try intents.replaceBody(requestID: requestID, body: intent.body)
            return true
        }
        guard done != nil else { return complete(call, "update_message", .storage) }
        outbox.put(intent)
        for view in views(of: intent.channelURL) {
            guard let index = view.failed.firstIndex(of: requestID) else { continue }
            let item = CollectionChange.Item(index: index, id: requestID, json: json(of: intent))
            emitChange(view, .failed, .update, .eventMessageUpdated, [item], reason: FailedReason.none)
        }
        complete(call, "update_message", .ok, members: [("request_id", jsonText(requestID))])
    }

    func deleteMessage(_ collection: UInt64, _ id: Int64, _ requestID: String, _ call: UInt64) {
        guard let view = messageViews[collection] else { return complete(call, "delete_message", .removed) }
        if id == 0 {
            guard let intent = outbox.entry(requestID) else { return complete(call, "delete_message", .notFound) }
            // On disk first: a message that stays there would be sent after the next start.
            guard stored({ () throws(StoreError) in try intents.remove(requestID: requestID) }) != nil else {
                return complete(call, "delete_message", .storage)
            }
            outbox.remove(intent)
            giveUp(intent, reason: .removeManualAction)
            return complete(call, "delete_message", .ok, members: [("request_id", jsonText(requestID))])
        }
        guard mayChange(id, view, call, "delete_message") else { return }
        edits[call] = "delete_message"
        ask(.deleteMessage(channelURL: view.channelURL, messageID: id)) { [self] reply in
            edits[call] = nil
            if case .failure(let failure) = reply { return completeFailed(call, "delete_message", failure) }
            if let timeline = timelines[view.channelURL] { deleted([id], in: timeline, source: .eventMessageDeleted) }
            complete(call, "delete_message", .ok)
        }
    }

    private func mayChange(_ id: Int64, _ view: MessageView, _ call: UInt64, _ name: String) -> Bool {
        guard let timeline = timelines[view.channelURL],
            let held = stored({ () throws(StoreError) in
                try cache.message(id: id, channel: timeline.channelKey)
            }) ?? nil
        else {
            complete(call, name, .notFound)
            return false
        }
        guard held.senderID == options.userID else {
            complete(call, name, .notOwnMessage)
            return false
        }
        guard connection.isLoggedIn else {
            complete(call, name, .notConnected)
            return false
        }
        return true
    }

    private func completeFailed(_ call: UInt64, _ name: String, _ failure: ServiceFailure) {
        let status: Completion.Status
        switch failure.kind {
        case .notFound: status = .notFound
        case .unreachable: status = .network
        default: status = .service
        }
        complete(call, name, status, members: Engine.members(of: failure))
    }

    // MARK: Views

    private func views(of url: String) -> [MessageView] { timelines[url]?.views ?? [] }

    /// An own message as hosts see it before the service has it.
    private func json(of intent: Intent) -> [UInt8] {
        let document = (try? JSON.parse(intent.body)).flatMap { $0.kind == .object ? $0 : nil } ?? .object()
        document.set("message_id", .int(0))
        document.set("request_id", .string(intent.requestID))
        document.set("channel_url", .string(intent.channelURL))
        if document["type"] == nil { document.set("type", "MESG") }
        document.set("created_at", .int(intent.createdAt))
        if document["user"] == nil { document.set("user", .object(["user_id": .string(options.userID)])) }
        document.set("status", .string(intent.status == .failed ? "failed" : "pending"))
        if intent.status == .failed {
            document.set("error_code", .int(Int64(intent.errorCode)))
            document.set("retry_count", .int(Int64(intent.retryCount)))
        }
        return document.serialized()
    }

    private func insertPending(_ intent: Intent, source: EventSource) {
        for view in views(of: intent.channelURL) {
            let item = CollectionChange.Item(index: view.pending.count, id: intent.requestID, json: json(of: intent))
            view.pending.append(intent.requestID)
            emitChange(view, .pending, .insert, source, [item])
        }
    }

    private func removePending(_ intent: Intent, source: EventSource) {
        for view in views(of: intent.channelURL) {
            guard let index = view.pending.firstIndex(of: intent.requestID) else { continue }
            view.pending.remove(at: index)
            emitChange(view, .pending, .remove, source, [CollectionChange.Item(index: index, id: intent.requestID)])
        }
    }

    private func insertFailed(_ intent: Intent) {
        for view in views(of: intent.channelURL) where !view.failed.contains(intent.requestID) {
            let item = CollectionChange.Item(index: view.failed.count, id: intent.requestID, json: json(of: intent))
            view.failed.append(intent.requestID)
            emitChange(view, .failed, .insert, .localMessageFailed, [item], reason: FailedReason.none)
        }
    }

    private func removeFailed(_ intent: Intent, reason: FailedReason, source: EventSource) {
        for view in views(of: intent.channelURL) {
            guard let index = view.failed.firstIndex(of: intent.requestID) else { continue }
            view.failed.remove(at: index)
            emitChange(
                view, .failed, .remove, source, [CollectionChange.Item(index: index, id: intent.requestID)],
                reason: reason)
        }
    }

    /// Shows a newly opened view the own messages of its channel.
    func showOwnMessages(_ view: MessageView) {
        let list = outbox.entries[view.channelURL] ?? []
        view.pending = list.filter { $0.status == .pending }.map(\.requestID)
        view.failed = list.filter { $0.status == .failed }.map(\.requestID)
        insertOwn(view, source: .cache)
    }

    func showOwnMessagesAnew(_ view: MessageView) {
        emitChange(view, .pending, .clear, .overflow, [])
        emitChange(view, .failed, .clear, .overflow, [], reason: FailedReason.none)
        insertOwn(view, source: .overflow)
    }

    private func insertOwn(_ view: MessageView, source: EventSource) {
        func items(_ ids: [String]) -> [CollectionChange.Item] {
            ids.enumerated().map { index, id in
                CollectionChange.Item(index: index, id: id, json: outbox.entry(id).map { json(of: $0) } ?? [])
            }
        }
        if !view.pending.isEmpty { emitChange(view, .pending, .insert, source, items(view.pending)) }
        if !view.failed.isEmpty {
            emitChange(view, .failed, .insert, source, items(view.failed), reason: FailedReason.none)
        }
    }
}
