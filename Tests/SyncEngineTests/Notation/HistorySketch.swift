import SyncModel

@testable import SyncEngine

/// A history as one sees it: chunks with the messages that are cached, and holes between them.
///
///     [b c d] … [f g>     complete from b to d; a hole; complete from f to g, and g is the newest
///     <b c d]             b is the first message of the channel
///     [(b) c d]           complete from b on, though no message stands there
///     [b d] … f           f is cached, and nobody knows what stands beside it
///     [b:x c d:y]         the service's tokens of the two edges
///     <(0)>               a channel without messages
///
/// In a chunk, `>` says that realtime messages lengthen it; in a file, that it is open-ended.
struct HistorySketch {
    private(set) var chunks: [ChunkList.Chunk] = []
    private(set) var messages: [MessageRecord] = []

    init(_ text: String) throws {
        for part in text.split(separator: "…").map(\.trimmed) where !part.isEmpty {
            if part.hasPrefix("[") || part.hasPrefix("<") {
                try addChunk(part)
            } else {
                messages += try Letters.messages(part)
            }
        }
    }

    private mutating func addChunk(_ text: Substring) throws {
        guard let open = text.first, let close = text.last, "]>".contains(close), text.count > 2 else {
            throw Letters.Unreadable(text, "a chunk")
        }
        var edges: [HistoryEdge] = []
        for word in text.dropFirst().dropLast().split(separator: " ") {
            let parts = word.filter { !"()".contains($0) }.split(separator: ":")
            guard let place = parts.first, parts.count <= 2 else { throw Letters.Unreadable(word, "in a chunk") }
            edges.append(HistoryEdge(try Letters.position(place[...]), token: parts.dropFirst().joined()))
            if !word.hasPrefix("(") { messages.append(try Letters.message(place[...])) }
        }
        guard let start = edges.first, let end = edges.last else { throw Letters.Unreadable(text, "a chunk") }
        chunks.append(ChunkList.Chunk(
            start: start, end: end, reachedFirst: open == "<", reachedNewest: close == ">"))
    }

    /// The only chunk of the sketch as a page of the service.
    func page() throws -> MessagePage {
        guard let chunk = chunks.first, chunks.count == 1 else { throw Letters.Unreadable("", "a page") }
        let isEmptyChannel = messages.isEmpty && chunk.reachedFirst && chunk.reachedNewest
        return MessagePage(
            messages: messages, range: isEmptyChannel ? nil : (chunk.start, chunk.end),
            reachedFirst: chunk.reachedFirst, reachedNewest: chunk.reachedNewest)
    }

    // MARK: Printing

    /// Chunks with the rows that are cached, which ascend.
    static func text(_ chunks: [ChunkList.Chunk], _ rows: [MessageRow]) -> String {
        var parts: [(place: MessagePosition, text: String)] = chunks.map { chunk in
            (chunk.start.position, text(chunk, rows.filter { chunk.covers($0.position) }))
        }
        for row in rows where !chunks.contains(where: { $0.covers(row.position) }) {
            parts.append((row.position, Letters.text(row)))
        }
        return parts.sorted { $0.place < $1.place }.map(\.text).joined(separator: " … ")
    }

    /// Chunks whose edges are all that matters.
    static func text(_ list: ChunkList) -> String {
        text(list.chunks, []).filter { !"()".contains($0) }
    }

    private static func text(_ chunk: ChunkList.Chunk, _ rows: [MessageRow]) -> String {
        var words = rows.map { (place: $0.position, text: Letters.text($0)) }
        for edge in Set([chunk.start.position, chunk.end.position]) where !words.contains(where: { $0.place == edge }) {
            // The edge of a cut lies right before its letter.
            let isOfCut = edge.tie == Int64.min && words.contains { $0.place.order == edge.order }
            if !isOfCut { words.append((edge, "(" + Letters.letter(edge.order) + ")")) }
        }
        words.sort { $0.place < $1.place }
        for (edge, index) in [(chunk.start, 0), (chunk.end, words.count - 1)] where !edge.token.isEmpty {
            if words.indices.contains(index), !words[index].text.contains(":") { words[index].text += ":" + edge.token }
        }
        return (chunk.reachedFirst ? "<" : "[") + words.map(\.text).joined(separator: " ")
            + (chunk.reachedNewest ? ">" : "]")
    }
}
