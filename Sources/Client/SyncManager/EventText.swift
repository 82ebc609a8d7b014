import SyncRealtime
import SyncEngine
import SyncJSON
import SyncModel
import SyncStore
import SyncStreams
import SyncTree

/// The JSON of events, as the header describes it.
enum EventText {
    static func text(of event: TakenEvent) -> JSONWriter {
        var writer = JSONWriter(capacity: room(for: event.output))
        writer.beginObject()
        switch event.output {
        case .completion(let completion):
            begin("result", event, &writer)
            write(completion, &writer)
        case .event(.client(let notice)):
            begin(notice.type, event, &writer)
            write(notice, &writer)
        case .event(.collection(let id, let notice)):
            begin(notice.type, event, &writer)
            writer.member("collection", Int64(bitPattern: id.number))
            write(notice, &writer)
        case .event(.change(let change)):
            begin("change", event, &writer)
            write(change, &writer)
        }
        writer.endObject()
        return writer
    }

    /// About how many bytes the text takes, so that the memory of a large one need not be moved while it grows. The
    /// bytes are counted and not estimated, since memory is allocated for them.
    static func room(for output: HostOutput) -> Int {
        var size = 512
        switch output {
        case .event(.change(let change)): for item in change.items { size &+= item.json.count &+ 64 }
        case .event(.client(.database(.value(_, let node, _)))): size &+= node.bytes
        default: break
        }
        return size
    }

    private static func begin(_ type: StaticString, _ event: TakenEvent, _ writer: inout JSONWriter) {
        writer.member("type", type.description)
        writer.member("seq", event.sequence)
        writer.member("ts", event.time)
    }

    private static func write(_ completion: Completion, _ writer: inout JSONWriter) {
        writer.member("request", Int64(bitPattern: completion.call.number))
        writer.member("call", completion.name.rawValue)
        if let action = completion.action { writer.member("action", action.rawValue) }
        writer.member("status", Int64(completion.status.rawValue))
        if let hasMore = completion.hasMore { writer.member("has_more", hasMore) }
        if let short = completion.short { writer.member("short", short.rawValue) }
        if let count = completion.count { writer.member("count", count) }
        if let requestID = completion.requestID { writer.member("request_id", requestID.text) }
        if let failure = completion.failure {
            write(failure, &writer)
        } else if let message = completion.message {
            writer.member("message", raw: message)
        } else if let explanation = completion.explanation {
            writer.member("message", explanation)
        }
        if let result = completion.result { writer.member("result", raw: result) }
        if completion.name == .start, let info = completion.info {
            writer.member("has_previous", info.hasPrevious)
            writer.member("has_next", info.hasNext)
        }
        if completion.name == .openCached, let channel = completion.info?.channel {
            writer.member("channel", raw: channel)
        }
        if let info = completion.info { writer.member("collection", Int64(bitPattern: info.collection.number)) }
    }

    private static func write(_ failure: ServiceFailure, _ writer: inout JSONWriter) {
        writer.member("code", failure.code)
        writer.member("message", failure.message)
    }

    private static func write(_ notice: ClientNotice, _ writer: inout JSONWriter) {
        switch notice {
        case .connection(let state, let retryIn, let failure):
            writer.member("state", state.rawValue)
            if let retryIn { writer.member("retry_in", retryIn) }
            if let failure { write(failure, &writer) }
        case .syncState(let state): writer.member("state", state.rawValue)
        case .syncProgress(let progress): write(progress, &writer)
        case .cacheTrimmed(let channelURL, let messages, let bytes):
            writer.member("channel_url", channelURL.text)
            writer.member("messages", messages)
            writer.member("bytes", bytes)
        case .cacheFull(let full): write(full, &writer)
        case .unreadCounts(let counts): write(counts, &writer)
        case .messageReceived(let message): write(message, &writer)
        case .uploadProgress(let progress):
            writer.member("channel_url", progress.channelURL.text)
            writer.member("request_id", progress.requestID.text)
            writer.member("file", progress.file)
            writer.member("sent", progress.done)
            writer.member("total", progress.total)
        case .callProgress(let progress):
            writer.member("request", Int64(bitPattern: progress.call.number))
            switch progress.kind {
            case .download: writer.member("received", progress.done)
            case .export: writer.member("done", progress.done)
            }
            if let total = progress.total { writer.member("total", total) }
        case .searchProgress(let done, let total):
            writer.member("done", done)
            writer.member("total", total)
            writer.member("complete", done == total)
        case .cacheReset(let file): writer.member("file", file)
        case .database(let notice): write(notice, &writer)
        case .resource(let notice): notice.write(&writer)
        case .storageError(let message, let lost):
            writer.member("message", message)
            if let lost { write(lost, &writer) }
        case .tokenNeeded(let failure): write(failure, &writer)
        case .closed: break
        }
    }

    private static func write(_ lost: LostIntents, _ writer: inout JSONWriter) {
        writer.key("lost")
        writer.beginArray()
        for entry in lost.some {
            writer.beginObject()
            switch entry {
            case .message(let channelURL, let requestID):
                writer.member("kind", "message")
                writer.member("channel_url", channelURL)
                writer.member("request_id", requestID)
            case .draft(let channelURL, let parentID):
                writer.member("kind", "draft")
                writer.member("channel_url", channelURL)
                writer.member("parent_message_id", parentID)
            case .write(let url, let name, let path, let kind, let id):
                writer.member("kind", "database_write")
                writer.member("url", url)
                writer.member("name", name)
                writer.member("path", path)
                if let kind = QueuedWrite.Kind(rawValue: kind) { writer.member("write", word(kind)) }
                writer.member("id", id)
            }
            writer.endObject()
        }
        writer.endArray()
        writer.member("lost_count", lost.count)
    }

    /// The word for a kind of write, as in the names of the actions.
    private static func word(_ kind: QueuedWrite.Kind) -> String {
        switch kind {
        case .set: "set"
        case .update: "update"
        case .count: "count"
        }
    }

    private static func write(_ notice: DatabaseNotice, _ writer: inout JSONWriter) {
        switch notice {
        case .value(let listen, let node, let isCurrent):
            writer.member("listen", Int64(bitPattern: listen.number))
            writer.key("value")
            node.write(&writer)
            writer.member("current", isCurrent)
        case .listenEnded(let listen, let failure):
            writer.member("listen", Int64(bitPattern: listen.number))
            write(failure, &writer)
        case .transform(let transaction, let node):
            writer.member("transaction", Int64(bitPattern: transaction.number))
            writer.key("value")
            node.write(&writer)
        case .writeRefused(let path, let failure):
            writer.member("path", path)
            write(failure, &writer)
        case .tokenNeeded: break
        }
    }

    private static func write(_ failure: DatabaseFailure, _ writer: inout JSONWriter) {
        writer.member("code", failure.status)
        writer.member("message", failure.message)
    }

    private static func write(_ notice: CollectionNotice, _ writer: inout JSONWriter) {
        switch notice {
        case .newMessage(let channelURL, let json, let cause, _):
            write(cause, &writer)
            writer.member("channel_url", channelURL.text)
            writer.member("message", raw: json)
        case .channelUpdated(let json, let cause):
            write(cause, &writer)
            writer.member("channel", raw: json)
        case .channelRemoved(let url, let cause):
            write(cause, &writer)
            writer.member("channel_url", url.text)
        case .cacheShown(let call, let count):
            writer.member("request", Int64(bitPattern: call.number))
            writer.member("count", count)
        case .parentUpdated(let json, let cause):
            write(cause, &writer)
            writer.member("message", raw: json)
        case .parentRemoved(let id, let cause):
            write(cause, &writer)
            writer.member("message_id", id.text)
        case .hugeGap: writer.member("has_next", true)
        case .overflow(let dropped): writer.member("dropped", dropped)
        case .stream(let notice): write(notice, &writer)
        }
    }

    private static func write(_ counts: UnreadCounts, _ writer: inout JSONWriter) {
        writer.member("all", counts.all)
        writer.key("custom_types")
        writer.beginObject()
        for (type, count) in counts.byCustomType.sorted(by: { $0.key < $1.key }) {
            writer.key(escaping: type.text)
            writer.int(count)
        }
        writer.endObject()
    }

    private static func write(_ progress: SyncProgress, _ writer: inout JSONWriter) {
        writer.member("channel_url", progress.channelURL.text)
        writer.member("done", progress.done)
        writer.member("complete", progress.isComplete)
        guard let prefetch = progress.prefetch else { return }
        writer.key("prefetch")
        writer.beginObject()
        writer.member("done", prefetch.done)
        writer.member("total", prefetch.total)
        writer.endObject()
    }

    private static func write(_ full: CacheFull, _ writer: inout JSONWriter) {
        writer.member("bytes_to_free", full.bytes)
        writer.key("candidates")
        writer.beginArray()
        for candidate in full.candidates {
            writer.beginObject()
            writer.member("channel_url", candidate.channelURL.text)
            writer.member("used_at", candidate.usage.usedAt)
            writer.member("messages", candidate.usage.messages)
            writer.member("bytes", candidate.usage.bytes)
            writer.endObject()
        }
        writer.endArray()
        writer.member("others", full.others)
    }

    private static func write(_ message: ReceivedMessage, _ writer: inout JSONWriter) {
        writer.member("id", message.id)
        writer.member("channel_url", message.channelURL.text)
        if let channel = message.channel { writer.member("channel", raw: channel) }
        writer.member("message", raw: message.json)
        writer.member("mention", message.isMention)
        writer.member("missed", message.missed.count)
        writer.member("more_missed", message.missed.mayBeMore)
    }

    private static func write(_ notice: StreamNotice, _ writer: inout JSONWriter) {
        switch notice {
        case .batch(let batch):
            if batch.isReset { writer.member("reset", true) }
            write("deleted", batch.deleted, &writer)
            write("added", batch.added, &writer)
            write("moved", batch.moved, &writer)
            write("changed", batch.changed, &writer)
        case .deleted(let rows), .added(let rows), .changed(let rows): write("rows", rows, &writer)
        case .loaded(let failure):
            writer.member("status", Int64(failure?.status.rawValue ?? 0))
            if let failure { writer.member("message", failure.message) }
        case .willChange, .didChange: break
        }
    }

    private static func write(_ key: StaticString, _ rows: [StreamBatch.Entry], _ writer: inout JSONWriter) {
        writer.key(key)
        writer.beginArray()
        for row in rows { row.write(to: &writer) }
        writer.endArray()
    }

    private static func write(_ cause: Cause, _ writer: inout JSONWriter) {
        writer.member("source", cause.source.rawValue)
        writer.member("from_event", cause.source.isFromEvent)
        if cause.facts.isEmpty { return }
        writer.key("detail")
        writer.beginArray()
        for fact in cause.facts { writer.raw(fact.json) }
        writer.endArray()
    }

    private static func write(_ change: CollectionChange, _ writer: inout JSONWriter) {
        writer.member("collection", Int64(bitPattern: change.collection.number))
        writer.member("list", change.list.rawValue)
        writer.member("action", change.action.rawValue)
        write(change.cause, &writer)
        if let reason = change.reason { writer.member("reason", reason.rawValue) }
        writer.key("changes")
        writer.beginArray()
        for item in change.items {
            writer.beginObject()
            if change.action == .move {
                writer.member("from", item.from)
                writer.member("to", item.index)
            } else {
                writer.member("index", item.index)
            }
            writer.member("id", item.id)
            writer.endObject()
        }
        writer.endArray()
        guard change.action != .remove, change.action != .clear else { return }
        switch change.list {
        case .channels: writer.key("channels")
        case .succeeded, .pending, .failed: writer.key("messages")
        case .results: writer.key("results")
        }
        writer.beginArray()
        for item in change.items { writer.raw(item.json) }
        writer.endArray()
    }
}
