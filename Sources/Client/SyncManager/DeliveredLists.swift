import SyncBytes
import SyncEngine
import SyncJSON
import SyncModel
import SyncStreams

/// A collection's lists as the host has been told of them: every drained change is applied here, too, so a snapshot
/// equals what a host shows that only applies changes.
final class DeliveredLists {
    struct Row {
        let id: String
        let json: [UInt8]

        init(_ item: CollectionChange.Item) {
            id = item.id
            json = item.json
        }
    }

    let id: CollectionID
    let channelURL: ChannelURL?
    private let isSearch: Bool
    /// The query or filter as the host gave it.
    let criteria: [UInt8]
    private var lists: [CollectionChange.List: [Row]] = [:]
    private var info: CollectionInfo
    private var isChannelGone = false
    /// For a stream: its handle and its rows.
    let stream: StreamHandle?
    private var rows: DeliveredStream?

    /// `info`: the state before the first event. `channelURL`: for a message collection.
    init(_ info: CollectionInfo, channelURL: ChannelURL?, criteria: [UInt8], isSearch: Bool = false) {
        id = info.collection
        self.info = info
        self.channelURL = channelURL
        self.criteria = criteria
        self.isSearch = isSearch
        stream = nil
    }

    init(id: CollectionID, stream: StreamHandle, spec: StreamSpec, criteria: [UInt8]) {
        self.id = id
        channelURL = nil
        isSearch = false
        self.criteria = criteria
        info = CollectionInfo(channels: id, ChannelQuery())
        self.stream = stream
        rows = DeliveredStream(spec)
    }

    func apply(_ notice: StreamNotice) { rows?.apply(notice) }

    func set(_ info: CollectionInfo) { self.info = info }

    func set(channel: [UInt8]) {
        info.channel = channel
        guard isChannelGone else { return }
        isChannelGone = false
        // The channel is back, and there may be more in both directions, as when the collection was opened.
        info.hasPrevious = true
        info.hasNext = info.viewpoint != Int64.max
    }

    func channelIsGone() {
        info.channel = nil
        isChannelGone = true
    }

    /// A message came that the list does not show. The ends as they were found then never take back that there is more:
    /// of a list that was never fetched they may be those of another range.
    func mayHaveMore(_ found: CollectionInfo) {
        info.hasPrevious = info.hasPrevious || found.hasPrevious
        info.hasNext = info.hasNext || found.hasNext
    }

    /// Called after a huge gap: the list does not have the newest message any more. What was missed may be on both
    /// sides of a list that shows nothing.
    func hugeGapOpened() {
        info.hasNext = true
        if lists[.succeeded]?.isEmpty ?? true { info.hasPrevious = true }
    }

    /// Applies a change, and gives the rows that a clear removed, for the caller to free.
    func apply(_ change: CollectionChange) -> [Row] {
        if let info = change.info { self.info = info }
        var list = lists.removeValue(forKey: change.list) ?? []
        var cleared: [Row] = []
        switch change.action {
        case .clear: swap(&list, &cleared)
        case .insert:
            if let first = change.items.first?.index, (0...list.count).contains(first),
                change.items.indices.allSatisfy({ change.items[$0].index - first == $0 }) {
                list.insert(contentsOf: change.items.lazy.map(Row.init), at: first)
            } else {
                for item in change.items where (0...list.count).contains(item.index) {
                    list.insert(Row(item), at: item.index)
                }
            }
        case .update: for item in change.items where list.indices.contains(item.index) { list[item.index] = Row(item) }
        case .remove: for item in change.items where list.indices.contains(item.index) { list.remove(at: item.index) }
        case .move:
            for item in change.items where list.indices.contains(item.from) && list.indices.contains(item.index) {
                list.remove(at: item.from)
                list.insert(Row(item), at: item.index)
            }
        }
        lists[change.list] = list
        return cleared
    }

    /// The kinds of lists that the collection has: one, or three for messages.
    private var kinds: [CollectionChange.List] {
        isSearch ? [.results] : channelURL == nil ? [.channels] : [.succeeded, .pending, .failed]
    }

    /// Whether a channel, a succeeded message, a result or a stream's row is shown.
    func contains(_ id: String) -> Bool {
        if let rows { return rows.contains(id) }
        return lists[kinds[0]]?.contains { $0.id.isByteEqual(to: id) } ?? false
    }

    func infoJSON() -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("collection", Int64(bitPattern: id.number))
        if let stream, let rows {
            writer.member("kind", "stream")
            writer.member("source", stream.kind.rawValue)
            rows.describe(&writer)
            writer.member("stream", raw: criteria)
        } else if let channelURL {
            writer.member("kind", "messages")
            writer.member("channel_url", channelURL.text)
            writer.member("count", lists[.succeeded]?.count ?? 0)
            writer.member("pending_count", lists[.pending]?.count ?? 0)
            writer.member("failed_count", lists[.failed]?.count ?? 0)
            writer.member("has_previous", info.hasPrevious)
            writer.member("has_next", info.hasNext)
            writer.member("viewpoint", info.viewpoint)
            writer.member("previous_limit", info.previousLimit)
            writer.member("next_limit", info.nextLimit)
            writer.member("filter", raw: criteria)
            if let channel = info.channel { writer.member("channel", raw: channel) }
        } else {
            writer.member("kind", isSearch ? "search" : "channels")
            writer.member("count", lists[kinds[0]]?.count ?? 0)
            writer.member("has_next", info.hasNext)
            writer.member("limit", info.nextLimit)
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
        for kind in kinds {
            writer.key(escaping: kind.rawValue)
            writer.beginArray()
            for row in lists[kind] ?? [] { writer.raw(row.json) }
            writer.endArray()
        }
        writer.endObject()
        return writer.bytes
    }
}
