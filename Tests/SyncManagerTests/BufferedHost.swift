import SyncEngine
import SyncJSON
import SyncModel
import XCTest

@testable import SyncManager

/// A host over an `EventBuffer` that knows nothing but the events' text, and an engine behind it.
final class BufferedHost {
    let buffer: EventBuffer
    let engine: BufferedEngine
    /// Whether the engine answers resyncs at once, or leaves them for later.
    var isEngineAnswering = true
    /// What no host may ever see.
    private(set) var faults: [String] = []
    private var lists: [Int64: HostList] = [:]
    private var removed: Set<Int64> = []
    private var sequence: Int64 = 0

    init(limit: Int, collections: CollectionID...) {
        buffer = EventBuffer(limit: limit)
        engine = BufferedEngine(buffer)
        for id in collections { open(id) }
    }

    var shownIsWrong: Bool { engine.lists.contains { shown($0.key) != $0.value } }

    func open(_ id: CollectionID) {
        buffer.add(DeliveredLists(
            CollectionInfo(messages: id, MessageFilter(), viewpoint: 0), channelURL: "c", criteria: Array("{}".utf8)))
        engine.lists[id] = []
    }

    func remove(_ id: CollectionID) {
        buffer.remove(collection: id)
        engine.lists[id] = nil
        removed.insert(Int64(id.number))
    }

    /// Takes one event, applies it and gives it; `nil` when none waits.
    func takeOne() -> JSON? {
        if isEngineAnswering { engine.answer() }
        let taken = buffer.take()
        let resyncs = buffer.takeWants().resyncs
        if !resyncs.isEmpty { engine.asked.append(resyncs) }
        if isEngineAnswering { engine.answer() }
        guard let taken else { return nil }
        do {
            let event = try JSON.parse(EventText.text(of: taken).bytes)
            sequence += 1
            if event["seq"]?.int != sequence { faults.append("seq \(taken.sequence) after \(sequence - 1)") }
            if let collection = event["collection"]?.int {
                if removed.contains(collection) { faults.append("an event of \(collection), which was removed") }
                if event["type"]?.string == "change" { try lists[collection, default: HostList()].apply(event) }
            }
            return event
        } catch {
            faults.append("\(error)")
            return nil
        }
    }

    func drain() { while takeOne() != nil {} }

    func shown(_ id: CollectionID) -> [Int] {
        (lists[Int64(id.number)]?.items ?? []).compactMap { $0["message_id"]?.int.map { Int($0) } }
    }

    func snapshot(_ id: CollectionID) throws -> [Int] {
        let snapshot = try JSON.parse(try XCTUnwrap(buffer.snapshot(of: id)))
        return try XCTUnwrap(snapshot["succeeded"]?.array).compactMap { $0["message_id"]?.int.map { Int($0) } }
    }
}
