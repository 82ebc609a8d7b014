import SyncBytes
import SyncModel
import XCTest

@testable import SyncEngine

/// A host that only applies the changes it is told, and remembers how its calls ended.
struct HostModel {
    private(set) var lists: [CollectionID: [CollectionChange.List: [(id: String, json: [UInt8])]]] = [:]
    private(set) var results: [CallID: Completion] = [:]
    private(set) var events: [HostEvent] = []
    /// How many events had come when a call completed.
    private(set) var eventsBefore: [CallID: Int] = [:]

    func ids(_ collection: CollectionID, _ list: CollectionChange.List = .succeeded) -> [String] {
        (lists[collection]?[list] ?? []).map(\.id)
    }

    func json(_ collection: CollectionID, _ list: CollectionChange.List, _ id: String) -> String? {
        (lists[collection]?[list] ?? []).first { $0.id.isByteEqual(to: id) }
            .map { String(decoding: $0.json, as: UTF8.self) }
    }

    func status(_ call: CallID) -> Status? { results[call]?.status }
    func result(_ call: CallID) -> Completion? { results[call] }

    var syncStates: [ClientNotice.SyncState] {
        events.compactMap { if case .client(.syncState(let state)) = $0 { state } else { nil } }
    }

    var changes: [CollectionChange] {
        events.compactMap { if case .change(let change) = $0 { change } else { nil } }
    }

    mutating func forgetEvents() { events = [] }

    mutating func take(_ output: HostOutput) {
        switch output {
        case .completion(let completion):
            XCTAssertNil(results[completion.call], "call \(completion.call) completed twice")
            results[completion.call] = completion
            eventsBefore[completion.call] = events.count
        case .event(let event):
            events.append(event)
            if case .change(let change) = event { apply(change) }
        }
    }

    private mutating func apply(_ change: CollectionChange) {
        var list = lists[change.collection]?[change.list] ?? []
        switch change.action {
        case .clear: list = []
        case .insert: for item in change.items { list.insert((item.id, item.json), at: item.index) }
        case .update:
            for item in change.items {
                XCTAssertEqual(TextKey(list[item.index].id), TextKey(item.id))
                list[item.index].json = item.json
            }
        case .remove:
            for item in change.items {
                XCTAssertEqual(TextKey(list[item.index].id), TextKey(item.id))
                list.remove(at: item.index)
            }
        case .move:
            for item in change.items {
                XCTAssertEqual(TextKey(list[item.from].id), TextKey(item.id))
                list.remove(at: item.from)
                list.insert((item.id, item.json), at: item.index)
            }
        }
        lists[change.collection, default: [:]][change.list] = list
    }
}
