import SyncSQLite
import SyncStore

/// Reads where the cache of a channel or thread is complete, and looks at each of its messages.
struct HistoryReader {
    private let file: OpenFile
    private let showsTexts: Bool
    private let findings: Findings
    /// Chunks, and newest messages, that are shown.
    private static let chunksShown = 200
    private static let textsShown = 20

    init(_ file: OpenFile, showsTexts: Bool, _ findings: Findings) {
        self.file = file
        self.showsTexts = showsTexts
        self.findings = findings
    }

    /// `key`: the number under which the messages are filed. `url`: of the channel, as it is shown.
    func history(_ key: Int64, parentID: String?, _ url: String) -> History {
        var history = History(parentID: parentID)
        let name = "channel \(url)" + (parentID.map { ", thread of \($0)" } ?? "")
        let chunks: Void? = findings.attempt("\(name), chunks") { () throws(StoreError) in
            try readChunks(key, &history, name)
        }
        history.between = Array(repeating: 0, count: history.chunks.count + 1)
        let messages: Void? = findings.attempt("\(name), messages") { () throws(StoreError) in
            try readMessages(key, &history, name)
        }
        if chunks == nil || messages == nil { history.isWhole = false }
        let changes = findings.attempt("\(name), cursor") { () throws(StoreError) in try self.changes(key) }
        history.changes = changes ?? nil
        return history
    }

    private func readChunks(_ key: Int64, _ history: inout History, _ name: String) throws(StoreError) {
        let columns = """
            channel, start_ord, start_tie, start_token, end_ord, end_tie, end_token, reached_first, is_open_ended
            """
        let row = try file.connection.prepare("""
            SELECT \(columns), \(OpenFile.isDamaged(columns)), count(*) OVER ()
            FROM chunk WHERE channel = ? ORDER BY start_ord DESC, start_tie DESC LIMIT ?
            """).bind(key).bind(HistoryReader.chunksShown)
        defer { row.reset() }
        while try row.next() {
            history.chunksLeftOff = max(0, row.int(10) &- Int64(HistoryReader.chunksShown))
            guard !row.bool(9) else {
                findings.add("\(name): the row of a chunk is damaged")
                continue
            }
            history.chunks.append(Chunk(
                start: Place(order: row.int(1), tie: row.int(2)), end: Place(order: row.int(4), tie: row.int(5)),
                startToken: Shown.text(row.text(3), most: 40), endToken: Shown.text(row.text(6), most: 40),
                reachedFirst: row.bool(7), isOpenEnded: row.bool(8)))
        }
        history.chunks.reverse()
    }

    /// From the newest message on, in slices.
    private func readMessages(_ key: Int64, _ history: inout History, _ name: String) throws(StoreError) {
        let fields = "is_reply_to_channel, kind, custom_type, sender_id, updated_at, is_silent, request_id"
        let row = try file.connection.prepare("""
            SELECT ord, tie, \(OpenFile.isDamaged("channel, ord, tie, id, parent_id, json"))
                OR \(OpenFile.isDamaged(fields, "fields_checksum")), \(showsTexts ? "substr(json, 1, 2000)" : "''")
            FROM message WHERE channel = ?1 AND (ord, tie) <= (?2, ?3) ORDER BY ord DESC, tie DESC LIMIT ?4
            """)
        defer { row.reset() }
        var last: Place?
        var damaged: Int64 = 0
        defer { findings.add(damaged: damaged, of: "\(name), message") }
        while true {
            row.reset()
            let from = last ?? Place(order: Int64.max, tie: Int64.max)
            _ = row.bind(key).bind(from.order).bind(from.tie).bind(OpenFile.slice)
            var isOver = true
            while try row.next() {
                let place = Place(order: row.int(0), tie: row.int(1))
                if let last, place >= last {
                    // The first row of a slice is the last one of the slice before.
                    if place == last { continue }
                    throw .corrupt(message: "messages are out of order")
                }
                (last, isOver) = (place, false)
                history.messages += 1
                if row.bool(2) { damaged += 1 } else { history.count(place) }
                if showsTexts, history.texts.count < HistoryReader.textsShown {
                    history.texts.append("\(place.text) \(Shown.text(row.text(3), most: 2000))")
                }
            }
            if isOver { return }
        }
    }

    private func changes(_ key: Int64) throws(StoreError) -> String? {
        let row = try file.connection.prepare("SELECT value FROM meta WHERE key = ?").bind("messages.changes.\(key)")
        defer { row.reset() }
        return try row.next() ? Shown.text(row.text(0), most: 40) : nil
    }
}

extension History {
    /// Counts a message, which is older than all that were counted before.
    fileprivate mutating func count(_ place: Place) {
        // A chunk from the first message on covers everything before its start, as the parent of a thread.
        let first = chunks.first?.reachedFirst == true ? 0 : nil
        guard let index = chunks.lastIndex(where: { $0.start <= place }) ?? first else {
            between[0] += 1
            return
        }
        // The row of an open-ended chunk does not say where the chunk ends: it ends with the newest message.
        if chunks[index].isOpenEnded, index == chunks.count - 1, chunks[index].messages == 0 {
            chunks[index].end = max(chunks[index].start, place)
        }
        if place <= chunks[index].end {
            chunks[index].messages += 1
        } else {
            between[index + 1] += 1
        }
    }
}
