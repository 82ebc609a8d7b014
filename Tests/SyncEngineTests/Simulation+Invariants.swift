import SyncJSON
import SyncModel

@testable import SyncEngine

/// What must hold: after every step, and when all is quiet. Numbers are those of the architecture page.
extension Simulation {
    func apply(_ change: CollectionChange) {
        let places = change.items.prefix(4).map { "\($0.from):\($0.index)=\($0.id)" }
            + (change.items.count > 4 ? ["…"] : [])
        note("change \(change.collection) \(change.list) \(change.action) \(change.source) \(places)")
        guard var lists = replay[change.collection] else {
            violation = Violation(description: "an event of collection \(change.collection), which is not open")
            return
        }
        var list = lists[change.list] ?? []
        func bad(_ index: Int, _ count: Int) {
            violation = Violation(
                description: "collection \(change.collection): index \(index) of \(count) in \(change.action)")
        }
        for item in change.items {
            switch change.action {
            case .clear: break
            case .insert:
                guard (0...list.count).contains(item.index) else { return bad(item.index, list.count) }
                list.insert((item.id, item.json), at: item.index)
            case .update:
                guard list.indices.contains(item.index), list[item.index].id == item.id else {
                    return bad(item.index, list.count)
                }
                list[item.index].json = item.json
            case .remove:
                guard list.indices.contains(item.index), list[item.index].id == item.id else {
                    return bad(item.index, list.count)
                }
                list.remove(at: item.index)
            case .move:
                guard list.indices.contains(item.from), list[item.from].id == item.id else {
                    return bad(item.from, list.count)
                }
                list.remove(at: item.from)
                guard (0...list.count).contains(item.index) else { return bad(item.index, list.count) }
                list.insert((item.id, item.json), at: item.index)
            }
        }
        if change.action == .clear { list = [] }
        if change.list == .succeeded {
            emptySince[change.collection] = change.action == .remove && list.isEmpty ? server.nextID : nil
        }
        if change.list == .pending, change.action == .insert, let view = engine.messageViews[change.collection] {
            for item in change.items { accepted[item.id] = view.channelURL }
        }
        lists[change.list] = list
        replay[change.collection] = lists
    }

    /// Invariant 1: what a host shows that only applies changes is what the engine shows.
    func checkReplay() throws {
        for (id, lists) in replay {
            if let view = engine.messageViews[id] {
                let shown = lists[.succeeded] ?? []
                guard shown.map(\.id) == view.shown.map({ String($0.id) }) else {
                    throw Violation(description: "replay of \(id): \(shown.map(\.id)) is not \(view.shown.map(\.id))")
                }
                guard shown.map(\.json) == view.shown.map(\.json) else {
                    throw Violation(description: "replay of \(id): the content differs")
                }
                guard (lists[.pending] ?? []).map(\.id) == view.pending,
                    (lists[.failed] ?? []).map(\.id) == view.failed
                else {
                    throw Violation(description: "replay of \(id): own messages differ")
                }
            } else if let view = engine.channelViews[id] {
                let shown = lists[.channels] ?? []
                let (here, there) = (shown.map(\.id), view.shown.map(\.url))
                guard here == there else {
                    throw Violation(description: "replay of \(id): \(here) is not \(there)")
                }
                guard shown.map(\.json) == view.shown.map(\.json) else {
                    throw Violation(description: "replay of \(id): the content of channels differs")
                }
            }
        }
    }

    func check() throws {
        if let violation { throw violation }
        try checkReplay()
        for view in engine.sortedMessageViews {
            let shown = view.shown.map(\.position)
            // Invariants 6 and 8: once each, in the service's order.
            for (left, right) in zip(shown, shown.dropFirst()) where left >= right {
                throw Violation(description: "collection \(view.id): \(left) stands before \(right)")
            }
            // Invariant 3: neighbours here are neighbours there.
            guard let first = shown.first, let last = shown.last, let channel = server.channels[view.channelURL]
            else { continue }
            // An own message whose acknowledgement is still out is shown as pending, wherever it stands.
            let held = Set(shown)
            // What the host sent by its own means may come before what is still on its way to us.
            let sureEnd = engine.timelines[view.channelURL].flatMap { timeline in
                timeline.home(of: view).flatMap { home in
                    let chunk = timeline.chunks.chunks[home]
                    if !chunk.reachedNewest { return chunk.end }
                    return timeline.outOfOrder.isEmpty ? nil : timeline.sureEnd
                }
            }
            let under = Set(engine.outbox.entries.values.flatMap { $0.map(\.requestID) })
            for message in channel.visible where !under.contains(message.requestID)
                && view.filter.matches(message.record(view.channelURL)) && message.position > first
                && message.position < last && !held.contains(message.position)
                && sureEnd.map({ message.position <= $0 }) ?? true
            {
                throw Violation(description: "collection \(view.id): a hole at \(message.position)")
            }
        }
    }

    /// Invariants 2, 7 and 9, when all is quiet.
    func converge() throws {
        note("faults stop")
        isFaulty = false
        command(.resumeSync)
        if engine.connection.state == .disconnected { command(.connect(call: newCall())) }
        try settle()
        try check()
        try checkWindows()
        try convergeMessages()
        try convergeChannels()
        try checkNobodyTypes()
        let visible = Set(engine.outbox.entries.values.flatMap { $0.map(\.requestID) })
        // Without resending, what failed is told as the call's outcome and not kept.
        for (id, url) in accepted.sorted(by: { $0.key < $1.key })
        where engine.options.resendPolicy != .none && !server.taken.contains(id) && !visible.contains(id)
            && server.channels[url] != nil
        {
            throw Violation(description: "the message \(id) was accepted and is neither sent nor visible")
        }
        for channel in server.channels.values {
            let ids = channel.messages.map(\.requestID).filter { !$0.isEmpty }
            if ids.count != Set(ids).count {
                throw Violation(description: "a message was sent twice in \(channel.url)")
            }
        }
        // Whatever is under way ends with the client.
        for view in engine.sortedMessageViews {
            fetch(view.id, .previous)
            guard let own = view.shown.last(where: SimulatedServer.isOwn) else { continue }
            let body = JSON.object(["message": .string("late")]).serialized()
            command(.updateMessage(
                collection: view.id, messageID: own.id, requestID: "", body: body, call: newCall()))
            command(.deleteMessage(collection: view.id, messageID: own.id, requestID: "", call: newCall()))
        }
        command(.close)
        if let violation { throw violation }
        if !openCalls.isEmpty { throw Violation(description: "calls never completed: \(openCalls.sorted())") }
    }

    /// Who said ten seconds ago to be typing, and nothing since, is not shown to type.
    private func checkNobodyTypes() throws {
        try advance(10_000)
        for view in engine.sortedChannelViews {
            for channel in view.shown where try JSON.parse(channel.json)["typing_members"] != nil {
                throw Violation(description: "somebody types for ever in \(channel.url)")
            }
        }
    }

    private func settle() throws {
        for _ in 0..<4000 {
            try advance(500)
            let isQuiet = queue.allSatisfy { item in
                if case .event(.pong, _) = item.delivery { return true }
                return false
            }
            let isBusy = engine.channels.isBusy || engine.timelines.values.contains { $0.isBusy }
            let isSending = engine.outbox.entries.values.contains {
                $0.contains { $0.status == .pending && !$0.isHostSent }
            }
            let isReady = engine.connection.isLoggedIn
            if isQuiet, !isBusy, !isSending, isReady, openCalls.isEmpty, !engine.timers.hasWork { return }
        }
        throw Violation(description: "the engine does not come to rest")
    }

    private func fetchToTheEnd(_ id: UInt64, _ direction: HostCommand.Direction) throws {
        for _ in 0..<2000 {
            fetch(id, direction)
            let call = lastCall
            for _ in 0..<400 where openCalls.contains(call) { try advance(100) }
            guard let result = results[call] else { throw Violation(description: "fetch \(call) never completed") }
            if result.status == .removed || result.status == .notFound { return }
            let more = result.members.first { $0.key == "has_more" }?.value
            if more == Array("false".utf8) { return }
        }
        throw Violation(description: "collection \(id) has more for ever")
    }

    /// With nothing more to come, a window shows a part of the history without a hole, a list of channels the beginning
    /// of all, and as far as they say they do, without being asked.
    private func checkWindows() throws {
        for view in engine.sortedMessageViews where view.isLoaded {
            guard let channel = server.channels[view.channelURL] else { continue }
            let all = channel.visible.filter { view.filter.matches($0.record(view.channelURL)) }.map(\.id)
            let shown = view.shown.map(\.id)
            let place = shown.first.flatMap { all.firstIndex(of: $0) } ?? all.count
            guard Array(all[place...].prefix(shown.count)) == shown else {
                throw Violation(description: "collection \(view.id) shows \(shown), no part of \(all)")
            }
            let last = shown.last ?? (emptySince[view.id] ?? 0) - 1
            if !view.hasNext, let newest = all.last, last < newest, !shown.isEmpty || last > 0 {
                throw Violation(description: "collection \(view.id) has no next and ends at \(last) of \(all)")
            }
            if !view.hasPrevious, place > 0, !shown.isEmpty || !view.hasNext {
                throw Violation(description: "collection \(view.id) has no previous and misses \(all[..<place])")
            }
        }
        for view in engine.sortedChannelViews where view.isLoaded {
            let all = expectedChannels(view.query).map(\.url)
            let shown = view.shown.map(\.url)
            guard Array(all.prefix(shown.count)) == shown, view.hasNext || shown.count == all.count else {
                throw Violation(description: "channels \(view.id) shows \(shown), no beginning of \(all)")
            }
        }
    }

    private func expectedChannels(_ query: ChannelQuery) -> [ChannelRecord] {
        server.channels.values.map(\.record).filter { query.matches($0, userID: SimulatedServer.me) }
            .sorted { query.areInIncreasingOrder($0, $1) }
    }

    private func convergeMessages() throws {
        for view in engine.sortedMessageViews where server.channels[view.channelURL] != nil {
            guard let id = engine.messageViews[view.id]?.id else { continue }
            if server.channels[view.channelURL]?.messages.count ?? 0 > 900 { continue }
            try fetchToTheEnd(id, .previous)
            try fetchToTheEnd(id, .next)
            try settle()
            let all = (server.channels[view.channelURL]?.visible ?? []).filter {
                view.filter.matches($0.record(view.channelURL))
            }
            let expected = Array(all.suffix(max(engine.options.messageCollectionCapacity, view.filter.limit)))
            guard view.shown.map(\.id) == expected.map(\.id) else {
                let missing = Set(expected.map(\.id)).subtracting(view.shown.map(\.id)).sorted()
                let extra = Set(view.shown.map(\.id)).subtracting(expected.map(\.id)).sorted()
                throw Violation(
                    description: "collection \(id) of \(view.channelURL): missing \(missing), too many \(extra)")
            }
            for (shown, message) in zip(view.shown, expected) {
                let there = try JSON.parse(message.record(view.channelURL).json)
                let here = try JSON.parse(shown.json)
                guard here["message"] == there["message"], reactions(here) == reactions(there) else {
                    throw Violation(
                        description: "collection \(id): message \(message.id) is \(here.text), not \(there.text)")
                }
            }
        }
    }

    private func reactions(_ message: JSON) -> [String] {
        (message["reactions"]?.array ?? []).compactMap { $0["key"]?.string }.sorted()
    }

    private func convergeChannels() throws {
        for view in engine.sortedChannelViews {
            try fetchToTheEnd(view.id, .next)
            try settle()
            let expected = expectedChannels(view.query)
            guard view.shown.map(\.url) == expected.map(\.url) else {
                let (here, there) = (view.shown.map(\.url), expected.map(\.url))
                throw Violation(description: "channels \(view.id) \(view.query.order): \(here) is not \(there)")
            }
            for (shown, channel) in zip(view.shown, expected) {
                guard shown.name == channel.name, shown.lastMessage == channel.lastMessage,
                    shown.unreadMessageCount == channel.unreadMessageCount, shown.isFrozen == channel.isFrozen,
                    shown.isHidden == channel.isHidden, shown.messageOffset == channel.messageOffset
                else {
                    let here = String(decoding: shown.json, as: UTF8.self)
                    let there = String(decoding: channel.json, as: UTF8.self)
                    throw Violation(description: "channel \(channel.url) is \(here), not \(there)")
                }
            }
        }
    }
}
