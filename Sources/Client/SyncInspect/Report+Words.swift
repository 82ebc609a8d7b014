// Wording that is the same in text and in HTML.

extension Report {
    /// How much room messages take, and the bound, if it is known.
    var budget: String {
        guard let limit else { return "messages take \(Shown.size(used))" }
        return "messages take \(Shown.size(used)) of \(Shown.size(limit)), \(Shown.fixed(share * 100)) %"
    }

    var share: Double { limit.map { Double(used) / Double(max(1, $0)) } ?? 0 }
}

extension Channel {
    var title: String { name.isEmpty ? url : "\(url) (\(name))" }

    var summary: String {
        var parts = [Shown.count(messages, "message", "messages"), Shown.size(bytes)]
        parts.append(latestAt.map { "last message " + Shown.time($0) } ?? "no last message")
        parts.append(usedAt > 0 ? "used " + Shown.time(usedAt) : "never opened")
        if !isCached { parts.append("the channel itself is not cached") }
        if isDamaged { parts.append("the row is damaged") }
        return parts.joined(separator: ", ")
    }
}

extension History {
    var summary: String {
        var text = "\(title): \(Shown.count(messages, "message", "messages")) in the cache"
        if !isWhole { text += " that can be read" }
        text += changes.map { ", changes read up to \($0)" } ?? ", no cursor of changes"
        return text
    }

    /// Chunks and the holes between them, ascending.
    var parts: [String] {
        guard let first = chunks.first, let last = chunks.last else {
            return ["hole: nothing is known to be complete" + inHole(0)]
        }
        var parts: [String] = []
        if chunksLeftOff > 0 { parts.append("… \(chunksLeftOff) older chunks") }
        if !first.reachedFirst { parts.append("hole before \(first.start.text)" + inHole(0)) }
        for (index, chunk) in chunks.enumerated() {
            if index > 0 { parts.append("hole \(chunks[index - 1].end.text) … \(chunk.start.text)" + inHole(index)) }
            parts.append(chunk.summary)
        }
        if !last.isOpenEnded { parts.append("after \(last.end.text) newer ones may be missing" + inHole(chunks.count)) }
        return parts
    }

    private func inHole(_ index: Int) -> String {
        between[index] > 0 ? ", \(Shown.count(between[index], "message", "messages")) of it cached" : ""
    }
}

extension Chunk {
    var summary: String {
        var parts = ["chunk \(start.text) … \(end.text)", Shown.count(messages, "message", "messages")]
        if reachedFirst { parts.append("from the first one on") }
        if isOpenEnded { parts.append("open end") }
        if !startToken.isEmpty { parts.append("token at its start: \(startToken)") }
        if !endToken.isEmpty { parts.append("token at its end: \(endToken)") }
        return parts.joined(separator: ", ")
    }
}
