/// The terms under which units are found in an index that knows neither order nor places: words and symbols as they
/// are, of a run of characters each pair, and its last one alone.
public enum SearchTerm: Hashable, Sendable {
    case exact([UInt8])
    case prefix([UInt8])

    /// Bytes of a term; longer ones are cut.
    static let longest = 48

    /// A character with the next one of its run.
    private static func pair(_ units: [SearchUnit], at index: Int) -> [UInt8] {
        let next = index + 1
        guard next < units.count, units[next].isJoined else { return units[index].text }
        return units[index].text + units[next].text
    }

    /// What is asked of the index for a phrase. A text that has it has all these terms; one that has them all need not
    /// have it.
    static func terms(of phrase: SearchPhrase) -> [SearchTerm] {
        var terms: [SearchTerm] = []
        for (index, unit) in phrase.units.enumerated() {
            let isLast = index == phrase.units.count - 1
            switch unit.kind {
            case .symbol: terms.append(.exact(cut(unit.text)))
            case .word:
                let isPrefix = isLast && phrase.isPrefix && unit.text.count < longest
                terms.append(isPrefix ? .prefix(unit.text) : .exact(cut(unit.text)))
            case .character:
                let next = index + 1
                if next < phrase.units.count, phrase.units[next].isJoined {
                    terms.append(.exact(pair(phrase.units, at: index)))
                } else if !unit.isJoined {
                    // Alone it begins a pair, or ends a run.
                    terms.append(.prefix(unit.text))
                }
            }
        }
        return terms
    }

    private static func cut(_ text: [UInt8]) -> [UInt8] { Array(text[..<end(of: text[...])]) }

    /// Where a term ends: behind the last whole character within `longest` bytes.
    static func end(of text: ArraySlice<UInt8>) -> Int {
        guard text.count > longest else { return text.endIndex }
        var end = text.startIndex + longest
        while end > text.startIndex, text[end] & 0xC0 == 0x80 { end -= 1 }
        return end
    }
}
