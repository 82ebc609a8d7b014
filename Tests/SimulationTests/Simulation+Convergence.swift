import SyncJSON
import SyncModel

@testable import SyncEngine

/// When faults stop: everything comes to rest, and every collection shows what the server's REST answers say.
extension Simulation {
    func converge() throws {
        note("faults stop")
        isFaulty = false
        network.weather = .fair
        device.faults.clear()
        service.control("clear_faults")
        service.control("refuse_repeats", .object(["on": .bool(traits.refusesRepeats)]))
        plans.removeAll { entry in if case .weatherEnds = entry.plan { true } else { false } }
        setForeground(true)
        if traits.hasDatabase { databaseOnline() }
        command(.post(.setToken(service.token)))
        command(.call(newCall("connect"), .connect))
        try settle()
        command(.post(.resumeSync))
        if !isConnected { command(.call(newCall("connect"), .connect)) }
        // A reset of the history from another device is told to nobody: the next login brings it.
        if knowledge.isHistoryReset { network.reset() }
        try settle()
        try checkPrefetched()
        try awaitMuteEnds()
        try settle()
        try checkAll()
        try checkCounts()
        try checkRefreshed()
        try checkWindows()
        try convergeSearches()
        try convergeMessages()
        try convergeChannels()
        try convergeStreams()
        try convergeDatabase()
        try convergeResources()
        try checkTotals()
        try checkDraftsShown()
        try checkNobodyTypes()
        try checkAges()
        try checkCachedAges()
        try checkSent()
        try checkNotices()
        try checkFiles()
        try convergeDownloads()
        drain()
        try checkSnapshots()
        try checkClose()
        try checkKeptDatabase()
    }

    /// A login without faults brings the newest messages of channels that nobody looks at.
    private func checkPrefetched() throws {
        guard let wanted = traits.prefetch, traits.cacheLimit == nil, traits.messageAge == nil else { return }
        network.reset()
        try settle()
        let open = Set(engine.shownMessages.map(\.channelURL))
        var filter = MessageFilter()
        filter.replyType = .all
        for channel in service.channels(ChannelQuery()).prefix(wanted.channels) {
            guard let url = channel["channel_url"]?.string, channel["member_state"]?.string == "joined",
                !open.contains(url), let key = try device.cache.channels.keyIfKnown(ChannelURL(url))
            else { continue }
            for message in (service.history(url, filter) ?? []).suffix(wanted.messages) {
                let id = message["message_id"]?.int ?? 0
                guard try device.cache.message(id: MessageID(number: id), channel: key) == nil else { continue }
                throw Violation(description: "\(id) of \(url) was not prefetched")
            }
            seen.insert("prefetched")
        }
    }

    /// What is not shown keeps nothing that is too old. It is looked for every hour.
    private func checkCachedAges() throws {
        guard let age = traits.messageAge else { return }
        let shown = Set(engine.messageWindows.map(\.channelURL.text))
        let now = SimulatedService.start + time + session.jumpedBefore
        let old = try device.channels(olderThan: now - age - 3_700_000).filter { !shown.contains($0) }
        if !old.isEmpty { throw Violation(description: "messages that are too old are cached in \(old)") }
    }

    private func checkAll() throws {
        drain()
        try check()
    }

    /// Until nothing is under way: neither in the engine, nor on the network, nor in the host's plans.
    func settle() throws {
        for _ in 0..<2000 {
            try advance(500)
            drain()
            // What waited for a login does not go into a frozen channel.
            let waiting = engine.ownMessages.filter { $0.status == .pending && !$0.isHostSent }
            let frozen = waiting.count { service.isClosedToSends($0.channelURL.text) }
            let isSending = waiting.count > frozen
            let areCallsDone = openCalls.count <= frozen && openCalls.values.allSatisfy { $0 == "send_message" }
            if isConnected, engine.isAtRest, areCallsDone, plans.isEmpty, !isSending, !network.isCarrying,
                !network.hasDeadSocket
            {
                return
            }
        }
        throw Violation(
            description: "it does not come to rest: connected \(isConnected), at rest \(engine.isAtRest), calls "
                + "\(openCalls.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }), plans \(plans.count), "
                + "own messages \(engine.ownMessages.map(\.requestID))")
    }

    /// `pages`: that is enough of it, whether there are more or not.
    func fetchToTheEnd(_ id: CollectionID, _ direction: PageDirection, pages: Int? = nil) throws {
        for _ in 0..<(pages ?? 2000) {
            let call = fetch(id, direction)
            for _ in 0..<600 where openCalls[call] != nil { try advance(100) }
            guard let result = results[call] else { throw Violation(description: "fetch \(call) never completed") }
            if result.status == .removed || result.status == .notFound { return }
            guard result.status == .ok else { throw Violation(description: "fetch \(call) gave \(result.status)") }
            if result.hasMore == false { return }
        }
        if pages == nil { throw Violation(description: "collection \(id) has more for ever") }
    }

    // MARK: Messages

    /// With nothing more to come, a window shows a part of the history without a hole, as far as it says, without being
    /// asked.
    private func checkWindows() throws {
        try checkRefilled()
        try checkListsRefilled()
        try checkParents()
        try checkToldEnds()
        try checkNewestRows()
        for (url, view) in engine.shownMessages where view.isLoaded && service.channel(url) != nil {
            let history = service.history(url, view.filter) ?? []
            let all = history.compactMap { $0["message_id"]?.int }.map(String.init)
            guard all.count < 900 else { continue }
            let shown = view.window.rows.map(\.id.text)
            let place = shown.first.flatMap { all.firstIndex(of: $0) } ?? all.count
            guard Array(all[place...].prefix(shown.count)) == shown else {
                throw Violation(description: "collection \(view.id) of \(url) shows \(shown), no part of \(all)")
            }
            try compare(view.window.rows, Array(history[place...].prefix(shown.count)), view.filter.leftOut)
            if !view.hasNext, let last = shown.last, last != all.last {
                throw Violation(description: "collection \(view.id) has no next and ends at \(last) of \(all)")
            }
            if !view.hasPrevious, place > 0, !shown.isEmpty {
                throw Violation(description: "collection \(view.id) has no previous and misses \(all[..<place])")
            }
            // It cannot have been trimmed: it begins with the oldest message.
            let most = max(traits.capacity, view.filter.limit(.previous), view.filter.limit(.next))
            if view.viewpoint == 0, place > 0, !shown.isEmpty, all.count <= most {
                throw Violation(description: "collection \(view.id) of the oldest messages misses \(all[..<place])")
            }
            if shown.isEmpty, !view.hasPrevious, !view.hasNext, !all.isEmpty {
                throw Violation(description: "collection \(view.id) shows nothing and says that is all, of \(all)")
            }
        }
    }

    /// Whenever all is quiet what is shown is true, without anything being asked for it.
    func checkQuiet() throws {
        guard isConnected, !isPaused, engine.isAtRest, engine.overlays.isEmpty, !network.isCarrying,
            !network.hasDeadSocket, !knowledge.isHistoryReset,
            !engine.ownMessages.contains(where: { $0.status == .pending })
        else { return }
        quietChecks += 1
        try checkCounts()
        try checkRefreshed()
        try checkWindows()
        try checkSearches()
        for view in engine.shownChannels where view.isLoaded {
            let documents = Dictionary(
                service.channels(view.query).map { ($0["channel_url"]?.string ?? "", $0) }, uniquingKeysWith: { $1 })
            for row in view.window.rows {
                guard let there = documents[row.id.text] else {
                    throw Violation(description: "channels \(view.id) shows \(row.id), which does not match")
                }
                try compare(row, there)
            }
            if !view.hasNext, view.window.count < documents.count {
                throw Violation(
                    description: "channels \(view.id) says that \(view.window.rows.map(\.id)) is all of "
                        + "\(documents.keys.sorted())")
            }
        }
    }

    private func convergeMessages() throws {
        for (url, view) in engine.shownMessages where service.channel(url) != nil {
            guard service.messageIDs(url).count < 900 else { continue }
            try fetchToTheEnd(view.id, .previous)
            try fetchToTheEnd(view.id, .next)
            try settle()
            guard let window = engine.shownMessages.first(where: { $0.window.id == view.id })?.window else { continue }
            let all = service.history(url, view.filter) ?? []
            let most = max(traits.capacity, view.filter.limit(.previous), view.filter.limit(.next))
            let expected = Array(all.suffix(most))
            let ids = expected.compactMap { $0["message_id"]?.int }.map(String.init)
            let shown = window.window.rows
            guard shown.map(\.id.text) == ids else {
                let missing = ids.filter { id in !shown.contains { $0.id.text == id } }
                let extra = shown.map(\.id.text).filter { !ids.contains($0) }
                throw Violation(
                    description:
                        "collection \(view.id) of \(url): missing \(missing), too many \(extra), else the order")
            }
            try compare(shown, expected, view.filter.leftOut)
        }
        try checkAll()
    }

    private static let names: [MessagePart: [String]] = [
        .reactions: ["reactions"], .threadInfo: ["thread_info"], .parentMessageInfo: ["parent_message_info"],
        .metaArray: ["sorted_metaarray", "metaarray"],
    ]

    private func compare(_ shown: [MessageRow], _ expected: [JSON], _ leftOut: Set<MessagePart>) throws {
        let missing = leftOut.flatMap { Simulation.names[$0] ?? [] }
        for (row, there) in zip(shown, expected) {
            let here = try JSON.parse(row.json)
            if let key = missing.first(where: { here[$0] != nil }) {
                throw Violation(description: "message \(row.id) is shown with \(key), which was left out")
            }
            for key in missing { there.set(key, nil) }
            for key in [
                "message", "data", "custom_type", "created_at", "updated_at", "parent_message_id", "translations",
                "sorted_metaarray", "mentioned_user_ids",
            ] {
                guard Simulation.same(here[key], there[key]) else {
                    throw Violation(
                        description: "message \(row.id): \(key) is \(here[key]?.text ?? "-"), not "
                            + "\(there[key]?.text ?? "-")")
                }
            }
            try comparePoll(here, there, leftOut)
            try compareFiles(here, there, row.id.text)
            guard Simulation.reactions(here) == Simulation.reactions(there) else {
                throw Violation(
                    description: "message \(row.id): reactions are \(Simulation.reactions(here)), not "
                        + "\(Simulation.reactions(there))")
            }
            guard here["thread_info"]?["reply_count"]?.int ?? 0 == there["thread_info"]?["reply_count"]?.int ?? 0
            else {
                throw Violation(description: "message \(row.id): the thread is \(here.text), not \(there.text)")
            }
        }
    }

    /// Missing and null are one, and so are they and an empty text, list or object, or 0.
    private static func same(_ left: JSON?, _ right: JSON?) -> Bool {
        func isNothing(_ value: JSON?) -> Bool {
            guard let value else { return true }
            let isEmpty = (value.kind == .array || value.kind == .object) && value.count == 0
            return value.isNull || value.string == "" || value.int == 0 || isEmpty
        }
        if let left, let right, left == right { return true }
        return isNothing(left) && isNothing(right)
    }

    private static func times(_ receipts: JSON?) -> [String: Int64] {
        // Who has read nothing has no time or 0.
        Dictionary((receipts?.members ?? []).map { ($0.key, $0.value.int ?? 0) }) { $1 }.filter { $0.value > 0 }
    }

    private static func reactions(_ message: JSON) -> [String] {
        (message["reactions"]?.array ?? []).map { entry in
            (entry["key"]?.string ?? "") + ": "
                + (entry["user_ids"]?.array ?? []).compactMap(\.string).sorted().joined(separator: " ")
        }.sorted()
    }

    // MARK: Channels

    private func convergeChannels() throws {
        for view in engine.shownChannels {
            try fetchToTheEnd(view.id, .next)
            try settle()
            guard let window = engine.shownChannels.first(where: { $0.id == view.id }) else { continue }
            let expected = service.channels(view.query)
            let shown = window.window.rows
            let here = shown.map(\.id.text)
            let there = expected.compactMap { $0["channel_url"]?.string }
            guard Set(here) == Set(there), here.count == there.count else {
                throw Violation(description: "channels \(view.id): \(here) is not \(there) (\(view.query))")
            }
            // Among those that stand equal in the order itself the service goes by numbers that it does not tell.
            let keys = Dictionary(uniqueKeysWithValues: zip(there, expected.map { orderKey($0, view.query) }))
            guard here.map({ keys[$0] }) == there.map({ keys[$0] }) else {
                throw Violation(
                    description: "channels \(view.id) \(view.query.order): the order \(here) is not \(there)")
            }
            let documents = Dictionary(uniqueKeysWithValues: zip(there, expected))
            for row in shown { try compare(row, documents[row.id.text] ?? .null) }
        }
        try checkAll()
    }

    private func orderKey(_ channel: JSON, _ query: ChannelQuery) -> String {
        switch query.order {
        case .latestLastMessage:
            channel["last_message"]?["created_at"]?.text ?? "created \(channel["created_at"]?.text ?? "")"
        case .chronological: channel["created_at"]?.text ?? ""
        case .channelNameAlphabetical: channel["name"]?.text ?? ""
        case .metadataValueAlphabetical: channel["metadata"]?[query.metadataOrderKey]?.text ?? ""
        }
    }

    private func compare(_ row: ChannelRow, _ there: JSON) throws {
        let here = try JSON.parse(row.json)
        for key in [
            "name", "created_at", "freeze", "is_hidden", "hidden_state", "unread_message_count",
            "unread_mention_count", "ts_message_offset", "member_state", "member_count", "joined_member_count",
            "custom_type", "data", "metadata", "my_role", "user_last_read", "count_preference", "is_muted",
            "pinned_message_ids",
        ] where !Simulation.same(here[key], there[key]) {
            if key == "is_muted", isMuteEndUnknown(here, there, row.id.text) { continue }
            throw Violation(
                description: "channel \(row.id): \(key) is \(here[key]?.text ?? "-"), not \(there[key]?.text ?? "-")")
        }
        try compareMembers(here, there, row.id.text)
        // The service tells deliveries together with others' a moment later.
        for key in engine.isAtRest && !isFaulty ? ["read_receipt", "delivery_receipt"] : ["read_receipt"] {
            let (mine, other) = (Simulation.times(here[key]), Simulation.times(there[key]))
            guard mine == other else {
                throw Violation(description: "channel \(row.id): \(key) is \(mine), not \(other)")
            }
        }
        for key in ["message_id", "message", "created_at"] {
            let (last, other) = (here["last_message"]?[key], there["last_message"]?[key])
            guard Simulation.same(last, other) else {
                throw Violation(
                    description: "channel \(row.id): the last message's \(key) is \(last?.text ?? "-"), not "
                        + "\(other?.text ?? "-")")
            }
        }
    }

    // MARK: The rest

    /// What is unread over all channels the host was told, and nothing is shown that was only asked for.
    private func checkTotals() throws {
        let there = service.ask("GET", "/users/\(SimulatedService.me)/unread_message_count")?["unread_count"]?.int
        guard unreadTotal == there else {
            throw Violation(
                description: "unread in all: \(unreadTotal.map { "\($0)" } ?? "-"), not "
                    + (there.map { "\($0)" } ?? "-"))
        }
        if !engine.overlays.isEmpty { throw Violation(description: "overlays stay: \(engine.overlays)") }
    }

    /// Who said ten seconds ago to be typing, and nothing since, is not shown to type.
    private func checkNobodyTypes() throws {
        try advance(10_000)
        for view in engine.shownChannels {
            for channel in view.window.rows {
                let typing = try JSON.parse(channel.json)["typing_members"]
                if typing?.count ?? 0 > 0 { throw Violation(description: "somebody types for ever in \(channel.id)") }
            }
        }
        try checkAll()
    }

    /// Nothing that was accepted is lost, and nothing was sent twice.
    private func checkSent() throws {
        let visible = Set(engine.ownMessages.map(\.requestID.text))
        for (id, own) in knowledge.own.sorted(by: { $0.key < $1.key }) {
            let ids = service.ownIDs[own.text] ?? []
            let channels = Set(ids.compactMap { service.messages[$0]?.channelID })
            if ids.count > channels.count { throw Violation(description: "\(own.text) was sent twice: \(ids)") }
            // Without resending, what failed is told as the call's outcome and not kept.
            guard traits.policy != .none, !own.isSettled, knowledge.wasPending(id) else { continue }
            if ids.isEmpty, !visible.contains(id) {
                throw Violation(description: "\(own.text) (\(id)) was accepted and is neither sent nor visible")
            }
        }
    }

    /// Whatever is under way ends with the client.
    private func checkClose() throws {
        for (_, view) in engine.shownMessages { fetch(view.id, .previous) }
        for view in engine.shownChannels { fetch(view.id, .next) }
        for view in engine.shownMessages.prefix(2) {
            lastText += 1
            let body = JSON.object(["message": .string("late")]).serialized()
            let call = newCall("send_message")
            command(.call(call, .own(.send(requestID: "late-\(lastText)", body: body), in: view.window.id)))
        }
        close()
        if let violation { throw violation }
        if !openCalls.isEmpty {
            throw Violation(description: "calls never completed: \(openCalls.sorted { $0.key < $1.key })")
        }
    }
}
