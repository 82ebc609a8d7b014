/// The terms under which units are found in an index that knows neither order nor places: each word, each symbol, and
/// of a run of characters each pair of neighbours, and the last character alone.
public enum SearchTerm: Hashable, Sendable {
    case exact([UInt8])
    case prefix([UInt8])

    /// The most bytes of a term; longer ones are cut.
    static let longest = 48

    /// A character with the next one of its run.
    private static func pair(_ units: [SearchUnit], at index: Int) -> [UInt8] {
        let next = index + 1
        guard next < units.count, units[next].isJoined else { return units[index].text }
        return units[index].text + units[next].text
    }

    /// The terms for which the index is asked, to find a phrase. A text with the phrase has all these terms; a text
    /// with all these terms need not have the phrase.
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
                    // The terms of a text with this character begin with it: the term of a pair, or that of the end of
                    // a run.
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
