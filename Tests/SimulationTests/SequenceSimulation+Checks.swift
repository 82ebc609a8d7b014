import SyncModel
import SyncStore
import TestSupport

@testable import SyncEngine

/// What must hold of a service whose messages have an order and no places.
extension SequenceSimulation {
    func check() throws {
        if let violation = violation ?? service.violation { throw violation }
        try checkReplay(told)
        if host.isEmpty { try checkReplay(host.replay) }
        for (_, view) in engine.shownMessages { try checkOrder(view) }
        try checkStored()
        if engine.isAtRest, isConnected, !isPaused, service.isQuiet, try isAllStored() { try checkShown() }
    }

    /// The stream has told all there is, and it is on the disk.
    private func isAllStored() throws -> Bool {
        try service.isOnline && service.position == server.log.count
            && device.cache.value("service.resume") == "\(server.log.count)"
    }

    /// What the cache calls complete is what the service has, whenever the stream has told everything.
    private func checkStored() throws {
        guard try isAllStored() else { return }
        for url in server.urls {
            guard let key = try device.cache.channels.keyIfKnown(url) else { continue }
            let truth = server.messages(url)
            for chunk in try device.cache.chunks.of(channel: key) {
                let held = try device.cache.messageReferences(
                    channel: key, from: chunk.reachedFirst ? .first : chunk.start.position,
                    through: chunk.isOpenEnded ? .last : chunk.end.position
                ).map(\.id)
                let start = chunk.reachedFirst ? 0 : held.first.flatMap { id in truth.firstIndex { $0.id == id } }
                let wanted = truth[(start ?? truth.count)...]
                guard wanted.prefix(held.count).map(\.id) == held, !chunk.isOpenEnded || wanted.count == held.count
                else {
                    throw Violation(
                        description: "\(url): \(chunk) holds \(held), and the service has \(wanted.map(\.id))")
                }
                for message in wanted.prefix(held.count) {
                    let json = try device.cache.message(id: message.id, channel: key)?.json ?? []
                    guard json == message.json else {
                        throw Violation(
                            description: "\(url): \(message.id) is \(String(decoding: json, as: UTF8.self)), not "
                                + String(decoding: message.json, as: UTF8.self))
                    }
                }
            }
        }
    }

    /// At rest what is shown is a part of what the service has, without a hole, as the service has it; own messages are
    /// shown once.
    private func checkShown() throws {
        for (url, view) in engine.shownMessages {
            let truth = server.messages(ChannelURL(url))
            let rows = view.window.rows
            let start = rows.first.flatMap { first in truth.firstIndex { $0.id == first.id } } ?? truth.count
            let wanted = truth[start...].prefix(rows.count)
            guard wanted.map(\.id) == rows.map(\.id) else {
                throw Violation(
                    description: "\(view.id) of \(url) shows \(rows.map(\.id)), no part of \(truth.map(\.id))")
            }
            for (row, message) in zip(rows, wanted) where row.json != message.json {
                throw Violation(
                    description: "\(view.id) shows \(String(decoding: row.json, as: UTF8.self)), not "
                        + String(decoding: message.json, as: UTF8.self))
            }
            let listed = Set(rows.map(\.id))
            let twice = engine.shownOwnMessages(view.id).pending.filter { own in
                server.accepted[RequestID(own.id.text)].map { listed.contains($0) } ?? false
            }
            guard twice.isEmpty else {
                throw Violation(description: "\(view.id) of \(url) shows own messages twice: \(twice.map(\.id))")
            }
        }
    }

    // MARK: The end

    func converge() throws {
        stopFaults()
        command(.post(.resumeSync))
        command(.call(newCall("connect"), .connect))
        try settle()
        drain()
        try check()
        for (_, view) in engine.shownMessages { try fetchToTheEnd(view.id) }
        for (_, view) in engine.shownMessages { close(view.id) }
        for url in server.urls {
            guard let id = open(url, atNewest: true) else { continue }
            try fetchToTheEnd(id)
            try settle()
            drain()
            try check()
            let shown = engine.shownMessages.first { $0.window.id == id }?.window.window.rows ?? []
            let truth = server.messages(url)
            guard shown.map(\.id) == truth.suffix(shown.count).map(\.id),
                shown.count == truth.count || shown.count >= traits.capacity
            else {
                throw Violation(
                    description: "\(url) is shown as \(shown.map(\.id)), not \(truth.map(\.id))")
            }
        }
        try checkCounts()
        try checkSnapshots()
        try checkSent()
        closeDevice()
        guard openCalls.isEmpty else { throw Violation(description: "after closing calls are open: \(openCalls)") }
    }

    private func settle() throws {
        for _ in 0..<2000 {
            try advance(500)
            drain()
            let isSending = engine.ownMessages.contains { $0.status == .pending && $0.isHostSent == false }
            if isConnected, engine.isAtRest, openCalls.isEmpty, service.isQuiet, try isAllStored(),
                !isSending || traits.policy != .automatic
            { return }
        }
        throw Violation(
            description: "it does not come to rest: connected \(isConnected), at rest \(engine.isAtRest), calls "
                + "\(openCalls), quiet \(service.isQuiet), own \(engine.ownMessages.map(\.requestID))")
    }

    private func fetchToTheEnd(_ id: CollectionID) throws {
        for direction in [PageDirection.previous, .next] {
            for round in 0... {
                let call = fetch(id, direction)
                for _ in 0..<600 where openCalls[call] != nil { try advance(100) }
                guard let result = results[call] else { throw Violation(description: "fetch \(call) never completed") }
                guard result.status == .ok else { throw Violation(description: "fetch \(call) gave \(result.status)") }
                if result.hasMore == false { break }
                if round > 500 { throw Violation(description: "collection \(id) has more for ever") }
            }
        }
    }

    /// Each own message that the host saw accepted is with the service once, or has failed and is kept.
    private func checkSent() throws {
        var copies: [String: Int] = [:]
        for entry in server.log {
            guard case .messageReceived(_, let message) = entry.event, message.senderID == SequenceServer.me else {
                continue
            }
            let text = String(decoding: message.json, as: UTF8.self)
            for requestID in written.keys where text.contains(#""message":"\#(requestID)""#) {
                copies[requestID.text, default: 0] += 1
            }
        }
        let held = Set(engine.ownMessages.map(\.requestID))
        for (requestID, _) in written.sorted(by: { $0.key < $1.key }) {
            let count = copies[requestID.text] ?? 0
            if count > 1 { throw Violation(description: "\(requestID) was sent \(count) times") }
            if count == 0, given.contains(requestID), !held.contains(requestID) {
                throw Violation(description: "\(requestID) was accepted and is lost")
            }
        }
        // One that was told, deleted, and only then accepted by a repeat is never told again: it stays until it is old.
        let there = Set(server.urls.flatMap { server.plain($0) }.map(\.message.id))
        // And one that has failed here may have been accepted without a word, if nobody sends it again.
        let left = engine.ownMessages.filter { own in
            own.status != .failed && server.accepted[own.requestID].map { there.contains($0) } ?? false
        }
        guard left.isEmpty else {
            throw Violation(description: "what the service has is in the outbox: \(left.map(\.requestID))")
        }
    }
}
