import SyncJSON
import SyncModel
import SyncSendbird
import TestSupport

@testable import SyncEngine

/// What the host asks of the library.
extension Simulation {
    func hostActs() {
        let views = engine.shownMessages
        let view = random.pick(views)
        draftAct()
        fileAct()
        downloadAct()
        searchAct()
        switch random.below(126) {
        case 114..<126: streamAct()
        case 100..<114: if let view { ask(view) }
        case 0..<14:
            guard let url = random.pick(knowledge.urls + knowledge.goneURLs.prefix(1)) else { return }
            openMessages(url)
        case 14..<20:
            guard engine.shownChannels.count < 3 else { return }
            openChannels()
        case 20..<23: if let view { start(view.window.id) }
        case 23..<48: if let view { fetch(view.window.id) }
        case 48..<55: if let list = random.pick(engine.shownChannels) { fetch(list.id, .next) }
        case 55..<58:
            guard let view else { return }
            let viewpoint = random.chance(50) ? Int64.max : SimulatedService.start + time - random.below(200_000)
            command(.post(.resetViewpoint(collection: view.window.id, viewpoint: viewpoint)))
        case 58..<62:
            let ids = views.map(\.window.id) + engine.shownChannels.map(\.id)
            guard let id = random.pick(ids) else { return }
            close(id)
        case 62..<78: if let view { send(view) }
        case 78..<82: if let view { changeSent(view) }
        case 82..<86: if let view { changeUnsent(view) }
        case 86..<90: callAction()
        case 90..<93:
            let isPause = random.chance(60)
            command(.post(isPause ? .pauseSync : .resumeSync))
            if isPause { plan(.resumeSync, in: random.below(20_000)) }
        case 93..<95:
            command(.post(.disconnect))
            plan(.connect, in: random.below(15_000))
        case 95: command(.call(newCall("connect"), .connect))
        default:
            let url = random.chance(70) ? random.pick(knowledge.urls) : nil
            command(.call(newCall("clear_cache"), .clearCache(channelURL: url.map { ChannelURL($0) })))
        }
    }

    func close(_ id: CollectionID) {
        told.close(id)
        host.close(id)
        command(.post(.removeCollection(id: id)))
    }

    func openMessages(_ url: String, starts: Bool = false) {
        guard engine.shownMessages.count < 4 else { return }
        lastCollection += 1
        let viewpoints = [Int64.max, Int64.max, 0, SimulatedService.start + time - random.below(400_000)]
        let viewpoint = random.pick(viewpoints) ?? Int64.max
        told.open(.host(lastCollection))
        var filter = MessageFilter()
        filter.limit = 1 + Int(random.below(40))
        if random.chance(25) { filter.senderIDs = ["bo"] }
        if random.chance(15) { filter.replyType = random.chance(50) ? .all : .onlyReplyToChannel }
        if random.chance(25) { filter.nextLimit = 1 + Int(random.below(10)) }
        if random.chance(15) { filter.previousLimit = 1 + Int(random.below(10)) }
        if random.chance(20) { filter.leftOut = Set(MessagePart.allCases.filter { _ in random.chance(50) }) }
        filter.isReversed = random.chance(25)
        filter.isInclusive = random.chance(75)
        if random.chance(25), let parent = someParent(url) { filter.parentID = MessageID(String(parent)) }
        host.open(CollectionInfo(messages: .host(lastCollection), filter, viewpoint: viewpoint), channelURL: url)
        command(.post(.openMessageCollection(
            id: .host(lastCollection), channelURL: ChannelURL(url), filter: filter, viewpoint: viewpoint)))
        if starts || random.chance(35) { start(.host(lastCollection)) }
    }

    /// A message that was answered, if there is one: it may be deleted meanwhile. Else any.
    func someParent(_ url: String) -> Int64? {
        let parents = Set(service.messages.values.filter { $0.channelURL == url && $0.parentID > 0 }.map(\.parentID))
        return random.pick(parents.sorted()) ?? someMessage(url)
    }

    private func start(_ id: CollectionID) { command(.call(newCall("start"), .start(collection: id))) }

    private func openChannels() {
        lastCollection += 1
        told.open(.host(lastCollection))
        var query = ChannelQuery()
        query.limit = 1 + Int(random.below(4))
        query.includeFrozen = random.chance(80)
        query.includeEmpty = random.chance(85)
        if random.chance(30) { query.hiddenChannels = random.pick([.all, .hiddenOnly, .hiddenAllowAutoUnhide]) ?? .all }
        if random.chance(10) { query.unreadChannels = .unreadMessage }
        if random.chance(10) { query.memberState = random.pick([.joined, .invited]) ?? .joined }
        query.order = random.pick([.latestLastMessage, .latestLastMessage, .chronological, .channelNameAlphabetical])
            ?? .latestLastMessage
        host.open(CollectionInfo(channels: .host(lastCollection), query), channelURL: nil)
        command(.post(.openChannelCollection(id: .host(lastCollection), query: query)))
    }

    /// A page, or everything newer.
    private func fetch(_ id: CollectionID) {
        guard random.chance(15) else { return _ = fetch(id, random.chance(60) ? .previous : .next) }
        command(.call(newCall("fetch_all_next"), .fetchAllNext(collection: id)))
    }

    @discardableResult
    func fetch(_ id: CollectionID, _ direction: PageDirection) -> CallID {
        let call = newCall("fetch")
        command(.call(call, .fetch(collection: id, direction: direction)))
        return call
    }

    func send(_ view: (channelURL: String, window: MessageWindow)) {
        lastText += 1
        let requestID = "r\(seed)-\(lastText)"
        let text = "mine \(seed) \(lastText)"
        let message = JSON.object(["message": .string(text)])
        // As the border does for a thread's collection.
        if let parent = Int64(view.window.filter.parentID) { message.set("parent_message_id", .int(parent)) }
        let body = message.serialized()
        let process = processNumber
        mayDraft(text, view)
        guard process == processNumber else { return }
        knowledge.write(requestID, text, view.channelURL)
        guard random.chance(70) else { return sendByHost(view, requestID, text, body) }
        if random.chance(25) { service.control("lose_next_ack") }
        let call = newCall("send_message")
        knowledge.sent(requestID, call: call)
        session.asked.insert(requestID)
        command(.call(call, .own(.send(requestID: RequestID(requestID), body: body), in: view.window.id)))
        checkDraftsNotSent()
    }

    /// The host sends by its own means, and tells how it went; sometimes while the library is offline, and sometimes
    /// the message is gone again before the library knows.
    private func sendByHost(
        _ view: (channelURL: String, window: MessageWindow), _ requestID: String, _ text: String, _ body: [UInt8]
    ) {
        let id = view.window.id
        switch random.below(20) {
        case 0, 1:
            // Appended when it has been sent already.
            let parts: KeyValuePairs<String, JSON> = ["req_id": .string(requestID)]
            guard let message = service.post(view.channelURL, SimulatedService.me, text, parts)
                .flatMap({ SendbirdService.message($0) }) else { return }
            knowledge.toldByHost.insert(message.id.text)
            return command(.call(
                newCall("append_message"), .own(.appendSent(requestID: RequestID(requestID), message), in: id)))
        case 2:
            // It failed before it was appended.
            return command(.call(
                newCall("handle_send_response"),
                .own(
                    .handleSendResponse(requestID: RequestID(requestID), .failed(code: 400_000, body: body)), in: id)))
        default: break
        }
        let isOffline = random.chance(20)
        if isOffline { command(.post(.disconnect)) }
        let call = newCall("append_message")
        command(.call(call, .own(.append(requestID: RequestID(requestID), body: body), in: id)))
        guard results[call]?.status == .ok else { return knowledge.settle(requestID) }
        var message: MessageRecord?
        if random.chance(75) {
            note("the host sends \(text) in \(view.channelURL)")
            message = service.post(view.channelURL, SimulatedService.me, text, ["req_id": .string(requestID)])
                .flatMap { SendbirdService.message($0) }
        }
        if let message { knowledge.toldByHost.insert(message.id.text) }
        // Delivered at once, or after other things have happened.
        let delay: Int64 = random.chance(40) ? 0 : random.below(400)
        if random.chance(8), !isOffline { return restart() }
        if delay == 0 {
            tellSendResponse(id, requestID, message)
        } else {
            plan(.tellSendResponse(collection: id, requestID: requestID, message), in: delay)
        }
        if let message, random.chance(isOffline ? 50 : 10) {
            note("delete \(message.id) in \(view.channelURL)")
            service.ask("DELETE", "\(service.path(view.channelURL))/messages/\(message.id)")
        }
        if isOffline { plan(.connect, in: random.below(3_000)) }
    }

    func tellSendResponse(_ id: CollectionID, _ requestID: String, _ message: MessageRecord?) {
        let outcome: SendOutcome = message.map { .sent($0) } ?? .failed(code: 400_000, body: nil)
        command(.call(
            newCall("handle_send_response"),
            .own(.handleSendResponse(requestID: RequestID(requestID), outcome), in: id)))
    }

    /// The host edits or deletes by its own means, and tells: at once, later, or not at all.
    private func changeSent(_ view: (channelURL: String, window: MessageWindow)) {
        let own = view.window.window.rows.filter { row in
            Int64(row.id).flatMap { service.messages[$0] }?.sender == SimulatedService.me
        }
        guard let row = own.last else { return }
        let path = "\(service.path(view.channelURL))/messages/\(row.id)"
        var edited: MessageRecord?
        if random.chance(50) {
            note("the host deletes \(row.id) in \(view.channelURL)")
            service.ask("DELETE", path)
        } else {
            note("the host edits \(row.id) in \(view.channelURL)")
            let answer = service.ask(
                "PUT", path, .object(["message_type": "MESG", "message": .string("better \(time)")]))
            guard let message = answer.flatMap({ SendbirdService.message($0) }) else { return }
            edited = message
        }
        guard random.chance(30) else { return tellChange(view.window.id, row.id.text, edited) }
        plan(.tellChange(collection: view.window.id, id: row.id.text, edited), in: random.below(400))
    }

    func tellChange(_ collection: CollectionID, _ id: String, _ edited: MessageRecord?) {
        if let edited {
            command(.call(newCall("update_message"), .own(.tellEdit(edited), in: collection)))
        } else {
            command(.call(newCall("delete_message"), .own(.delete(.sent(id: MessageID(id))), in: collection)))
        }
    }

    /// Something of the table of actions.
    private func ask(_ view: (channelURL: String, window: MessageWindow)) {
        // Shown or not: of one that is not cached only the service knows.
        let shown = view.window.window.rows.suffix(8).map(\.id.text)
        guard let id = random.pick(shown) ?? someMessage(view.channelURL).map({ String($0) }) else { return }
        let own = shown.filter { Int64($0).flatMap { service.messages[$0] }?.sender == SimulatedService.me }
        var arguments: [String: ActionCall.Value] = ["channel_url": .text(view.channelURL)]
        let action: Action
        switch random.below(20) {
        case 0..<5:
            action = random.chance(60) ? .message(.addReaction) : .message(.removeReaction)
            arguments["key"] = .text(random.pick(["+1", "heart"]) ?? "+1")
        case 5..<8:
            action = .message(.editMessage)
            arguments["message"] = .text("changed \(time)")
            if random.chance(30) { arguments["mentioned_user_ids"] = .texts(["bo"]) }
        case 8..<11: action = .message(.deleteMessage)
        case 11: action = random.chance(60) ? .message(.pinMessage) : .message(.unpinMessage)
        case 12: action = .message(.translateMessage)
        case 13: action = .message(random.pick([.createMetaArrayKeys, .deleteMetaArrayKeys]) ?? .createMetaArrayKeys)
        case 14: action = .message(.addMetaArrayValues)
        case 15: action = .reading(.markAsRead)
        case 16: action = .reading(.markAllAsRead)
        case 17: action = .reading(.markAsUnread)
        case 18: action = .reading(.markAsDelivered)
        default: action = random.chance(70) ? .reading(.startTyping) : .reading(.endTyping)
        }
        for parameter in action.spec.parameters {
            switch parameter.key {
            case "message_id":
                let senders: [MessageAction] = [.editMessage, .addMetaArrayValues, .createMetaArrayKeys]
                let isSenders = senders.map(Action.message).contains(action)
                arguments["message_id"] = .text(isSenders || random.chance(70) ? random.pick(own) ?? id : id)
            case "target_langs": arguments["target_langs"] = .texts(["de"])
            case "keys": arguments["keys"] = .texts(["color"])
            case "values": arguments["values"] = .object(Array(#"{"color":["red"]}"#.utf8))
            default: break
            }
        }
        command(.call(newCall(action.rawValue), .action(ActionCall(action: action, arguments: arguments))))
    }

    private func changeUnsent(_ view: (channelURL: String, window: MessageWindow)) {
        let shown = engine.shownOwnMessages(view.window.id)
        // Also one under way: the service may have it already.
        guard let own = random.pick(shown.failed.map(\.id)) ?? random.pick(shown.pending.map(\.id)) else { return }
        switch random.below(10) {
        case 0..<5:
            let call = newCall("send_message")
            knowledge.sent(own.text, call: call)
            resent([own.text])
            command(.call(call, .own(.resend(requestID: own), in: view.window.id)))
        case 5:
            let body = JSON.object(["data": .string("changed \(time)")]).serialized()
            command(.call(newCall("update_message"), .own(.update(requestID: own, body: body), in: view.window.id)))
        default:
            let call = newCall("delete_message")
            command(.call(call, .own(.delete(.unsent(requestID: own)), in: view.window.id)))
            if results[call]?.status == .ok { knowledge.settle(own.text) }
        }
    }
}
