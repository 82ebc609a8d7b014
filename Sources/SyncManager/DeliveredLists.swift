import SyncEngine
import SyncJSON
import SyncStreams

/// A collection's lists as the host has been told of them: every drained change is applied here too, so a snapshot is
/// exactly what a host that only applies changes shows.
final class DeliveredLists {
    let id: UInt64
    let channelURL: String?
    /// The query or filter as the host gave it.
    let criteria: [UInt8]
    private var lists: [CollectionChange.List: [[UInt8]]] = [:]
    private var info: CollectionInfo
    /// Of a stream: what it is, and its rows.
    let stream: StreamHandle?
    private var rows: DeliveredStream?

    init(id: UInt64, channelURL: String?, criteria: [UInt8], viewpoint: Int64) {
        self.id = id
        self.channelURL = channelURL
        self.criteria = criteria
        info = CollectionInfo(
            collection: id, hasPrevious: channelURL != nil, hasNext: viewpoint != Int64.max, viewpoint: viewpoint)
        stream = nil
    }

    init(id: UInt64, stream: StreamHandle, spec: StreamSpec, criteria: [UInt8]) {
        self.id = id
        channelURL = nil
        self.criteria = criteria
        info = CollectionInfo(collection: id, hasPrevious: false, hasNext: false, viewpoint: 0)
        self.stream = stream
        rows = DeliveredStream(spec)
    }

    func apply(_ notice: StreamNotice) { rows?.apply(notice) }

    func set(_ info: CollectionInfo) { self.info = info }

    /// After a huge gap the newest message is out of sight.
    func setHasNext() { info.hasNext = true }

    /// Applies a change and gives what a clear took out, for the caller to free.
    func apply(_ change: CollectionChange) -> [[UInt8]] {
        if let info = change.info { self.info = info }
        var list = lists.removeValue(forKey: change.list) ?? []
        var cleared: [[UInt8]] = []
        switch change.action {
        case .clear: swap(&list, &cleared)
        case .insert:
            if let first = change.items.first?.index, (0...list.count).contains(first),
                change.items.indices.allSatisfy({ change.items[$0].index - first == $0 }) {
                list.insert(contentsOf: change.items.lazy.map(\.json), at: first)
            } else {
                for item in change.items where (0...list.count).contains(item.index) {
                    list.insert(item.json, at: item.index)
                }
            }
        case .update: for item in change.items where list.indices.contains(item.index) { list[item.index] = item.json }
        case .remove: for item in change.items where list.indices.contains(item.index) { list.remove(at: item.index) }
        case .move:
            for item in change.items where list.indices.contains(item.from) && list.indices.contains(item.index) {
                list.remove(at: item.from)
                list.insert(item.json, at: item.index)
            }
        }
        lists[change.list] = list
        return cleared
    }

    func infoJSON() -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("collection", Int64(bitPattern: id))
        if let stream, let rows {
            writer.member("kind", "stream")
            writer.member("source", stream.kind.rawValue)
            rows.describe(&writer)
            writer.member("stream", raw: criteria)
        } else if let channelURL {
            writer.member("kind", "messages")
            writer.member("channel_url", channelURL)
            writer.member("count", lists[.succeeded]?.count ?? 0)
            writer.member("pending_count", lists[.pending]?.count ?? 0)
            writer.member("failed_count", lists[.failed]?.count ?? 0)
            writer.member("has_previous", info.hasPrevious)
            writer.member("has_next", info.hasNext)
            writer.member("viewpoint", info.viewpoint)
            writer.member("filter", raw: criteria)
        } else {
            writer.member("kind", "channels")
            writer.member("count", lists[.channels]?.count ?? 0)
            writer.member("has_next", info.hasNext)
            writer.member("query", raw: criteria)
        }
        writer.endObject()
        return writer.bytes
    }

    func snapshotJSON(sequence: Int64) -> [UInt8] {
        var writer = JSONWriter(capacity: 4096)
        writer.beginObject()
        writer.member("seq", sequence)
        if let rows {
            rows.write(to: &writer)
            writer.endObject()
            return writer.bytes
        }
        let kinds: [CollectionChange.List] = channelURL == nil ? [.channels] : [.succeeded, .pending, .failed]
        for kind in kinds {
            writer.key(escaping: kind.rawValue)
            writer.beginArray()
            for item in lists[kind] ?? [] { writer.raw(item) }
            writer.endArray()
        }
        writer.endObject()
        return writer.bytes
    }
}
