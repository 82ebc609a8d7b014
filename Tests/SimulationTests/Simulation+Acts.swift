import TestSupport
import SyncJSON
import SyncModel
import SyncService

@testable import SyncEngine
@testable import SyncStore

/// What happens in one step: an act of other users, of the host, of the network, or of the machine.
extension Simulation {
    private static let longestURLList = 8

    func act() throws {
        if host.isSlow, random.chance(40) { drain(random.chance(30) ? Int.max : Int(random.below(12))) }
        switch random.below(100) {
        case 0..<38: othersAct()
        case 38..<73: hostActs()
        case 73..<80: try crowd()
        case 80..<92: try networkActs()
        default: try machineActs()
        }
    }

    // MARK: Other users

    private func othersAct() {
        guard let url = random.pick(knowledge.urls) else { return addChannel() }
        act(of: random.below(110), in: url)
    }

    /// Much happens in one channel while it is being asked about: what is told overtakes the answers.
    private func crowd() throws {
        guard let view = random.pick(engine.shownMessages) else {
            return openMessages(random.pick(knowledge.urls) ?? "")
        }
        switch random.below(4) {
        case 0: command(.clearCache(channelURL: view.channelURL, call: newCall("clear_cache")))
        case 1: network.reset()
        default: openMessages(view.channelURL)
        }
        fetch(lastCollection, .previous)
        for _ in 0..<(2 + random.below(8)) {
            // Mostly posts, edits, deletions and reactions.
            act(of: random.pick([0, 0, 34, 40, 40, 52, 52, 58, 58]) ?? 0, in: view.channelURL)
            try advance(random.below(60))
        }
    }

    private func act(of kind: Int64, in url: String) {
        switch kind {
        case 0..<34: post(url)
        case 34..<40:
            let count: Int64 = 1 + random.below(random.chance(10) ? 400 : 20)
            note("\(count) messages in \(url)")
            service.burst(url, "kit", count)
            if random.chance(50) { service.control("advance_clock", .object(["ms": .int(random.below(5_000))])) }
        case 40..<52:
            guard let id = someMessage(url) else { return }
            note("edit \(id) in \(url)")
            service.ask(
                "PUT", "\(service.path(url))/messages/\(id)",
                .object(["message_type": "MESG", "message": .string("edited \(time)")]))
        case 52..<58:
            guard let id = someMessage(url) else { return }
            note("delete \(id) in \(url)")
            service.ask("DELETE", "\(service.path(url))/messages/\(id)")
        case 58..<64:
            guard let id = someMessage(url) else { return }
            let adds = random.chance(65)
            note("\(adds ? "react" : "react no more") to \(id) in \(url)")
            service.ask(
                adds ? "POST" : "DELETE", "\(service.path(url))/messages/\(id)/reactions",
                .object([
                    "user_id": .string(random.pick(["bo", "kit", SimulatedService.me]) ?? "bo"),
                    "reaction": .string(random.pick(["+1", "heart"]) ?? "+1"),
                ]))
        case 64..<69:
            let name = random.chance(10) ? "" : "Name \(random.below(100))"
            note("rename \(url) to \(name)")
            service.ask("PUT", service.path(url), .object(["name": .string(name)]))
        case 69..<72: addChannel()
        case 72..<74: removeChannel(url)
        case 74..<77:
            let user = random.pick(["bo", "kit", SimulatedService.me]) ?? "bo"
            let starts = random.chance(70)
            note("\(user) \(starts ? "types" : "stops to type") in \(url)")
            service.ask(
                starts ? "POST" : "DELETE", "\(service.path(url))/typing", .object(["user_ids": .strings([user])]))
        case 77..<80:
            let isFrozen = random.chance(50)
            note("freeze \(url) \(isFrozen)")
            service.ask("PUT", "\(service.path(url))/freeze", .object(["freeze": .bool(isFrozen)]))
        case 80..<84:
            let previous = random.chance(40)
            note("hide \(url)\(previous ? " with its messages" : "")")
            service.ask(
                "PUT", "\(service.path(url))/hide",
                .object([
                    "user_id": .string(SimulatedService.me), "hide_previous_messages": .bool(previous),
                    "allow_auto_unhide": .bool(random.chance(70)),
                ]))
        case 84: service.ask("DELETE", "\(service.path(url))/hide", .object(["user_id": .string(SimulatedService.me)]))
        case 85..<90:
            let user = random.chance(60) ? SimulatedService.me : "bo"
            note("\(user) reads \(url)")
            service.ask("PUT", "\(service.path(url))/messages/mark_as_read", .object(["user_id": .string(user)]))
        case 90: service.ask("PUT", "\(service.path(url))/messages/mark_as_delivered", .object(["user_id": "bo"]))
        case 91:
            note("history of \(url) is reset")
            knowledge.historyResetAt = time
            service.ask(
                "PUT", "\(service.path(url))/reset_user_history", .object(["user_id": .string(SimulatedService.me)]))
        case 92..<94: comeOrGo(url)
        case 94:
            // A channel runs empty.
            let ids = service.messageIDs(url).map(\.id)
            guard ids.count < 20 else { return }
            note("delete all \(ids.count) of \(url)")
            for id in ids { service.ask("DELETE", "\(service.path(url))/messages/\(id)") }
        case 95: move(url)
        case 96..<98:
            // This user, on another device.
            lastText += 1
            note("sent from another device in \(url)")
            service.post(url, SimulatedService.me, "elsewhere \(seed) \(lastText)")
        case 98, 99: service.control("advance_clock", .object(["ms": .int(random.below(100_000))]))
        default: countingAct(kind, in: url)
        }
    }

    /// What moves counts and receipts without a new message.
    private func countingAct(_ kind: Int64, in url: String) {
        let me = SimulatedService.me
        switch kind {
        case 100..<103:
            guard let id = someMessage(url) else { return }
            let mentions = random.chance(60)
            note("edit \(id) in \(url) to mention \(mentions ? me : "nobody")")
            service.ask(
                "PUT", "\(service.path(url))/messages/\(id)",
                .object([
                    "message_type": "MESG", "mention_type": "users",
                    "mentioned_user_ids": .strings(mentions ? [me] : []),
                ]))
        case 103..<105:
            guard let id = someMessage(url) else { return }
            note("\(me) marks \(id) of \(url) as unread")
            service.ask(
                "PUT", "\(service.path(url))/messages/mark_as_read",
                .object(["user_id": .string(me), "message_id": .int(id), "is_excluded": true]))
        case 105:
            // On another device, and nobody is told of it: the next login brings it.
            let words = ["all", "unread_message_count_only", "unread_mention_count_only", "off"]
            let word = random.pick(words) ?? "all"
            note("\(me) wants \(word) counted in \(url)")
            knowledge.historyResetAt = time
            service.ask(
                "PUT", "/users/\(me)/count_preference/\(url)", .object(["count_preference": .string(word)]))
        case 106:
            let seconds: Int64 = 1 + random.below(30)
            note("\(me) is muted in \(url) for \(seconds) s")
            service.ask(
                "POST", "\(service.path(url))/mute",
                .object(["user_id": .string(me), "seconds": .int(seconds)]))
        case 107:
            guard let id = someMessage(url) else { return }
            let isPinned = random.chance(60)
            note("\(isPinned ? "pin" : "unpin") \(id) of \(url)")
            service.ask(isPinned ? "POST" : "DELETE", "\(service.path(url))/messages/\(id)/pin", .object())
        default:
            note("all read by \(me)")
            service.ask("PUT", "/users/\(me)/mark_as_read_all", .object())
        }
    }

    /// The service mends its history: a message has another time.
    private func move(_ url: String) {
        guard let id = someMessage(url) else { return }
        let all = service.messageIDs(url)
        guard let other = random.pick(all), let newest = all.last else { return }
        // Not into what is hidden from this user, nor out of it: nobody can tell the device of that.
        let offset = service.offset(url)
        let time = min(newest.createdAt, other.createdAt + random.below(Int64(3)))
        guard time >= offset, let message = service.messages[id], message.createdAt >= offset else { return }
        note("move \(id) in \(url) to \(time)")
        knowledge.moved[String(id)] = url
        service.move(id, in: url, to: time)
    }

    private func post(_ url: String) {
        if random.chance(60) { service.control("advance_clock", .object(["ms": .int(random.below(5_000))])) }
        let text = "text \(time)"
        note("post in \(url)")
        switch random.below(20) {
        case 0..<4: service.say(url, text)
        case 4..<6: service.post(url, "kit", text, ["mentioned_user_ids": .strings([SimulatedService.me])])
        case 6: service.post(url, "kit", text, ["mention_type": "channel"])
        case 7:
            let sender = random.pick(["bo", "kit", SimulatedService.me]) ?? "bo"
            service.post(
                url, sender, "\(text) \(sender)",
                [
                    "is_silent": true, "force_update_last_message": .bool(random.chance(30)),
                    "mentioned_user_ids": .strings(random.chance(30) ? [SimulatedService.me] : []),
                ])
        case 8:
            guard let parent = random.chance(60) ? someParent(url) : someMessage(url) else { return }
            service.post(
                url, "kit", text,
                ["parent_message_id": .int(parent), "is_reply_to_channel": .bool(random.chance(40))])
        default: service.post(url, random.chance(50) ? "bo" : "kit", text)
        }
    }

    private func addChannel() {
        guard knowledge.urls.count < Simulation.longestURLList else { return }
        // Some come back under the URL of one that was deleted.
        let gone = random.chance(50) ? random.pick(knowledge.goneURLs) : nil
        addChannel(gone ?? "channel_new_\(time)", name: "New \(time % 7)")
    }

    func addChannel(_ url: String, name: String) {
        note("add \(url)")
        service.addChannel(url, name: name)
        knowledge.added(url)
    }

    private func removeChannel(_ url: String) {
        guard knowledge.urls.count > 2 else { return }
        note("delete \(url)")
        service.ask("DELETE", service.path(url))
        knowledge.removed(url)
        guard random.chance(35) else { return }
        addChannel(url, name: "Again")
        if random.chance(60) { service.burst(url, "bo", 1 + random.below(6)) }
    }

    /// This user leaves a channel from another device, or is asked in again.
    private func comeOrGo(_ url: String) {
        if service.channel(url) == nil {
            note("invited to \(url)")
            service.invite(url)
        } else {
            note("left \(url)")
            service.ask("PUT", "\(service.path(url))/leave", .object(["user_id": .string(SimulatedService.me)]))
        }
    }

    func someMessage(_ url: String) -> Int64? {
        let all = service.messageIDs(url)
        return random.pick(random.chance(50) ? Array(all.suffix(10)) : all)?.id
    }

    // MARK: The host

    private func hostActs() {
        let views = engine.shownMessages
        let view = random.pick(views)
        switch random.below(114) {
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
            command(.resetViewpoint(collection: view.window.id, viewpoint: viewpoint))
        case 58..<62:
            let ids = views.map(\.window.id) + engine.shownChannels.map(\.id)
            guard let id = random.pick(ids) else { return }
            told.close(id)
            host.close(id)
            command(.removeCollection(id: id))
        case 62..<78: if let view { send(view) }
        case 78..<82: if let view { changeSent(view) }
        case 82..<86: if let view { changeUnsent(view) }
        case 86..<90: callAction()
        case 90..<93:
            let isPause = random.chance(60)
            command(isPause ? .pauseSync : .resumeSync)
            if isPause { plan(.resumeSync, in: random.below(20_000)) }
        case 93..<95:
            command(.disconnect)
            plan(.connect, in: random.below(15_000))
        case 95: command(.connect(call: newCall("connect")))
        default:
            let url = random.chance(70) ? random.pick(knowledge.urls) : nil
            command(.clearCache(channelURL: url, call: newCall("clear_cache")))
        }
    }

    private func openMessages(_ url: String) {
        guard engine.shownMessages.count < 4 else { return }
        lastCollection += 1
        let viewpoints = [Int64.max, Int64.max, 0, SimulatedService.start + time - random.below(400_000)]
        let viewpoint = random.pick(viewpoints) ?? Int64.max
        told.open(lastCollection)
        var filter = MessageFilter()
        filter.limit = 1 + Int(random.below(40))
        if random.chance(25) { filter.senderIDs = ["bo"] }
        if random.chance(15) { filter.replyType = random.chance(50) ? .all : .onlyReplyToChannel }
        if random.chance(25) { filter.nextLimit = 1 + Int(random.below(10)) }
        filter.isReversed = random.chance(25)
        filter.isInclusive = random.chance(75)
        if random.chance(25), let parent = someParent(url) { filter.parentID = String(parent) }
        host.open(CollectionInfo(messages: lastCollection, filter, viewpoint: viewpoint), channelURL: url)
        command(.openMessageCollection(
            id: lastCollection, channelURL: url, filter: filter, viewpoint: viewpoint))
        if random.chance(35) { start(lastCollection) }
    }

    /// A message that was answered, if there is one: it may be deleted meanwhile. Else any.
    private func someParent(_ url: String) -> Int64? {
        let parents = Set(service.messages.values.filter { $0.channelURL == url && $0.parentID > 0 }.map(\.parentID))
        return random.pick(parents.sorted()) ?? someMessage(url)
    }

    private func start(_ id: UInt64) { command(.start(collection: id, call: newCall("start"))) }

    private func openChannels() {
        lastCollection += 1
        told.open(lastCollection)
        var query = ChannelQuery()
        query.limit = 1 + Int(random.below(4))
        query.includeFrozen = random.chance(80)
        query.includeEmpty = random.chance(85)
        if random.chance(30) { query.hiddenChannels = random.pick([.all, .hiddenOnly, .hiddenAllowAutoUnhide]) ?? .all }
        if random.chance(10) { query.unreadChannels = .unreadMessage }
        query.order = random.pick([.latestLastMessage, .latestLastMessage, .chronological, .channelNameAlphabetical])
            ?? .latestLastMessage
        host.open(CollectionInfo(channels: lastCollection, query), channelURL: nil)
        command(.openChannelCollection(id: lastCollection, query: query))
    }

    /// A page, or everything newer.
    private func fetch(_ id: UInt64) {
        guard random.chance(15) else { return _ = fetch(id, random.chance(60) ? .previous : .next) }
        command(.fetchAllNext(collection: id, call: newCall("fetch_all_next")))
    }

    @discardableResult
    func fetch(_ id: UInt64, _ direction: PageDirection) -> UInt64 {
        let call = newCall("fetch")
        command(.fetch(collection: id, direction: direction, call: call))
        return call
    }

    private func send(_ view: (channelURL: String, window: MessageWindow)) {
        lastText += 1
        let requestID = "r\(seed)-\(lastText)"
        let text = "mine \(seed) \(lastText)"
        let message = JSON.object(["message": .string(text)])
        // As the border does for a thread's collection.
        if let parent = Int64(view.window.filter.parentID) { message.set("parent_message_id", .int(parent)) }
        let body = message.serialized()
        knowledge.write(requestID, text, view.channelURL)
        guard random.chance(70) else { return sendByHost(view, requestID, text, body) }
        if random.chance(25) { service.control("lose_next_ack") }
        let call = newCall("send_message")
        knowledge.sent(requestID, call: call)
        command(.sendMessage(collection: view.window.id, requestID: requestID, body: body, call: call))
    }

    /// The host sends by its own means, and tells how it went; sometimes while the library is offline, and sometimes
    /// the message is gone again before the library knows.
    private func sendByHost(
        _ view: (channelURL: String, window: MessageWindow), _ requestID: String, _ text: String, _ body: [UInt8]
    ) {
        let id = view.window.id
        let isOffline = random.chance(20)
        if isOffline { command(.disconnect) }
        let call = newCall("append_message")
        command(.appendMessage(collection: id, requestID: requestID, body: body, call: call))
        guard results[call]?.status == .ok else { return knowledge.settle(requestID) }
        var message: MessageRecord?
        if random.chance(75) {
            note("the host sends \(text) in \(view.channelURL)")
            message = service.post(view.channelURL, SimulatedService.me, text, ["req_id": .string(requestID)])
                .flatMap { SendbirdService.message($0) }
        }
        if let message { knowledge.toldByHost.insert(message.id) }
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

    private func tellSendResponse(_ id: UInt64, _ requestID: String, _ message: MessageRecord?) {
        let outcome: SendOutcome = message.map { .sent($0) } ?? .failed(code: 400_000, body: nil)
        command(.handleSendResponse(
            collection: id, requestID: requestID, outcome, call: newCall("handle_send_response")))
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
        guard random.chance(30) else { return tellChange(view.window.id, row.id, edited) }
        plan(.tellChange(collection: view.window.id, id: row.id, edited), in: random.below(400))
    }

    private func tellChange(_ collection: UInt64, _ id: String, _ edited: MessageRecord?) {
        if let edited {
            command(.tellEdit(collection: collection, edited, call: newCall("update_message")))
        } else {
            command(.deleteMessage(collection: collection, .sent(id: id), call: newCall("delete_message")))
        }
    }

    /// Something of the table of actions.
    private func ask(_ view: (channelURL: String, window: MessageWindow)) {
        // Shown or not: of one that is not cached only the service knows.
        let shown = view.window.window.rows.suffix(8).map(\.id)
        guard let id = random.pick(shown) ?? someMessage(view.channelURL).map({ String($0) }) else { return }
        let own = shown.filter { Int64($0).flatMap { service.messages[$0] }?.sender == SimulatedService.me }
        var arguments: [String: ActionCall.Value] = ["channel_url": .text(view.channelURL)]
        let action: Action
        switch random.below(20) {
        case 0..<5:
            action = random.chance(60) ? .addReaction : .removeReaction
            arguments["key"] = .text(random.pick(["+1", "heart"]) ?? "+1")
        case 5..<8:
            action = .editMessage
            arguments["message"] = .text("changed \(time)")
            if random.chance(30) { arguments["mentioned_user_ids"] = .texts(["bo"]) }
        case 8..<11: action = .deleteMessage
        case 11: action = random.chance(60) ? .pinMessage : .unpinMessage
        case 12: action = .translateMessage
        case 13: action = random.pick([.createMetaArrayKeys, .deleteMetaArrayKeys]) ?? .createMetaArrayKeys
        case 14: action = .addMetaArrayValues
        case 15: action = .markAsRead
        case 16: action = .markAllAsRead
        case 17: action = .markAsUnread
        case 18: action = .markAsDelivered
        default: action = random.chance(70) ? .startTyping : .endTyping
        }
        for parameter in ActionTable.spec(of: action).parameters {
            switch parameter.key {
            case "message_id":
                let isSenders = [.editMessage, .addMetaArrayValues, .createMetaArrayKeys].contains(action)
                arguments["message_id"] = .text(isSenders || random.chance(70) ? random.pick(own) ?? id : id)
            case "target_langs": arguments["target_langs"] = .texts(["de"])
            case "keys": arguments["keys"] = .texts(["color"])
            case "values": arguments["values"] = .object(Array(#"{"color":["red"]}"#.utf8))
            default: break
            }
        }
        command(.action(ActionCall(action: action, arguments: arguments), call: newCall(action.rawValue)))
    }

    private func changeUnsent(_ view: (channelURL: String, window: MessageWindow)) {
        let shown = engine.shownOwnMessages(view.window.id)
        // Also one under way: the service may have it already.
        guard let own = random.pick(shown.failed.map(\.id)) ?? random.pick(shown.pending.map(\.id)) else { return }
        switch random.below(10) {
        case 0..<5:
            let call = newCall("send_message")
            knowledge.sent(own, call: call)
            command(.resendMessage(collection: view.window.id, requestID: own, call: call))
        case 5:
            let body = JSON.object(["data": .string("changed \(time)")]).serialized()
            command(.updateMessage(
                collection: view.window.id, requestID: own, body: body, call: newCall("update_message")))
        default:
            let call = newCall("delete_message")
            command(.deleteMessage(collection: view.window.id, .unsent(requestID: own), call: call))
            if results[call]?.status == .ok { knowledge.settle(own) }
        }
    }

    // MARK: What was planned

    func perform(_ plan: HostPlan) {
        switch plan {
        case .setToken: command(.setToken(service.token))
        case .connect: command(.connect(call: newCall("connect")))
        case .resumeSync: command(.resumeSync)
        case .tellSendResponse(let collection, let requestID, let message):
            tellSendResponse(collection, requestID, message)
        case .tellChange(let collection, let id, let message): tellChange(collection, id, message)
        case .weatherEnds: network.weather = traits.weather
        }
    }

    // MARK: Network and machine

    private func networkActs() throws {
        let me = JSON.object(["user_id": .string(SimulatedService.me)])
        switch random.below(100) {
        case 0..<35: network.reset()
        case 35..<45: network.die()
        case 45..<52:
            note("the service drops the socket")
            if random.chance(50) { me.set("code", .int(random.pick([1001, 1011, 4000]) ?? 1001)) }
            service.control("drop_sockets", me)
        case 52..<58:
            note("the service is busy")
            me.set("text", .string("BUSY{\"retry_after\":\(1 + random.below(4))}\n"))
            service.control("send_frame", me)
        case 58..<72:
            note("the session key expires")
            me.set("notify", .bool(random.chance(60)))
            service.control("expire_session_keys", me)
        case 72..<76:
            note("the token is revoked")
            service.revokeToken(notify: random.chance(60))
        case 76..<90:
            note("the network gets worse")
            network.weather = .bad
            plan(.weatherEnds, in: random.below(10_000))
        default: try advance(random.below(40_000))
        }
        network.collect()
    }

    private func machineActs() throws {
        guard traits.hasStoreFaults, random.chance(75) else {
            if random.chance(50) { restart() }
            return
        }
        let after = Int(random.below(random.chance(50) ? 6 : 40))
        if random.chance(50) {
            note("the process will die after \(after) statements")
            device.faults.die(after: after)
        } else {
            let count = random.chance(60) ? 1 : Int(1 + random.below(20))
            let error = random.chance(50) ? StoreError.full : StoreError.failed(code: 10, message: "disk I/O error")
            note("\(count) statements will fail after \(after): \(error.message)")
            device.faults.fail(after: after, count: count, error)
        }
    }
}
