import SyncEngine
import SyncModel
import TestSupport

@testable import SyncManager

/// What `EventBuffer` needs of an engine: lists that change, and an answer to a resync.
final class BufferedEngine {
    private let buffer: EventBuffer
    /// The succeeded messages of each open collection.
    var lists: [CollectionID: [Int]] = [:]
    /// Resyncs that wait for an answer.
    var asked: [[CollectionID: Int]] = []

    init(_ buffer: EventBuffer) { self.buffer = buffer }

    /// Appends an item.
    func insert(_ item: Int, into id: CollectionID) {
        let index = lists[id]?.count ?? 0
        lists[id]?.append(item)
        tell(id, .insert, [change(index, item)])
    }

    func changeAtRandom(_ id: CollectionID, item: Int, _ random: inout SeededGenerator) {
        let count = lists[id]?.count ?? 0
        switch count == 0 ? 0 : random.below(8) {
        case 0...3:
            let index = random.below(count + 1)
            lists[id]?.insert(item, at: index)
            tell(id, .insert, [change(index, item)])
        case 4:
            let index = random.below(count)
            lists[id]?[index] = item
            tell(id, .update, [change(index, item)])
        case 5:
            let index = random.below(count)
            lists[id]?.remove(at: index)
            tell(id, .remove, [change(index, 0)])
        case 6:
            let (from, index) = (random.below(count), random.below(count))
            lists[id]?.remove(at: from)
            lists[id]?.insert(item, at: index)
            var move = change(index, item)
            move.from = from
            tell(id, .move, [move])
        default:
            guard random.below(10) == 0 else {
                buffer.push(.event(.collection(id, .channelUpdated(json: Array("{}".utf8), Cause(.sync)))), time: 0)
                return
            }
            lists[id] = []
            tell(id, .clear, [])
        }
    }

    func answer() {
        let resyncs = asked
        asked = []
        for (id, dropped) in resyncs.flatMap({ $0 }) {
            guard let items = lists[id] else { continue }
            buffer.push(.event(.collection(id, .overflow(dropped: dropped))), time: 0)
            tell(id, .clear, [], source: .overflow)
            let all = items.enumerated().map { change($0, $1) }
            if !all.isEmpty { tell(id, .insert, all, source: .overflow) }
        }
    }

    private func change(_ index: Int, _ item: Int) -> CollectionChange.Item {
        CollectionChange.Item(index: index, id: "\(item)", json: Array("{\"message_id\":\(item)}".utf8))
    }

    private func tell(
        _ id: CollectionID, _ action: CollectionChange.Action, _ items: [CollectionChange.Item],
        source: EventSource = .sync
    ) {
        let info = CollectionInfo(messages: id, MessageFilter(), viewpoint: 0)
        buffer.push(
            .event(.change(CollectionChange(
                collection: id, list: .succeeded, action: action, cause: Cause(source), items: items, info: info))),
            time: 0)
    }
}
