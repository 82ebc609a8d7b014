/// Units that have to follow each other.
public struct SearchPhrase: Equatable, Sendable {
    public let units: [SearchUnit]
    /// Whether its last word may be the beginning of a longer word.
    public let isPrefix: Bool

    /// How many units of a text match the phrase, from an index on; 0: the phrase is not there.
    func count(in text: [SearchUnit], at start: Int) -> Int {
        guard start + units.count <= text.count else { return 0 }
        for (index, wanted) in units.enumerated() {
            let unit = text[start + index]
            guard unit.kind == wanted.kind, unit.isJoined || !wanted.isJoined else { return 0 }
            let mayGoOn = isPrefix && index == units.count - 1
            guard mayGoOn ? unit.text.starts(with: wanted.text) : unit.text == wanted.text else { return 0 }
        }
        return units.count
    }
}

/// What is looked for: a text has to have every phrase, anywhere.
public struct SearchQuestion: Equatable, Sendable {
    /// The most phrases of one question; further ones are ignored.
    public static let mostPhrases = 32

    public private(set) var phrases: [SearchPhrase] = []

    /// Reads what a user typed. Spaces separate phrases; in quotes a phrase may have spaces. A word that ends with "*"
    /// also finds longer words. `isTyping`: so does the last word, unless a space or a quote follows it.
    public init(_ text: String, isTyping: Bool) {
        var piece = String.UnicodeScalarView()
        var isQuoted = false
        for scalar in text.unicodeScalars.prefix(SearchUnits.longest) {
            if scalar == "\"" {
                add(piece, isPrefix: false)
                piece = .init()
                isQuoted.toggle()
            } else if !isQuoted, scalar.properties.isWhitespace {
                add(piece, isPrefix: piece.last == "*")
                piece = .init()
            } else {
                piece.append(scalar)
            }
        }
        add(piece, isPrefix: !isQuoted && (isTyping || piece.last == "*"))
    }

    private mutating func add(_ piece: String.UnicodeScalarView, isPrefix: Bool) {
        let units = SearchUnits(String(piece)).units
        guard !units.isEmpty, phrases.count < SearchQuestion.mostPhrases else { return }
        let phrase = SearchPhrase(units: units, isPrefix: isPrefix && units.last?.kind == .word)
        if !phrases.contains(phrase) { phrases.append(phrase) }
    }

    /// Whether there is nothing to look for.
    public var isEmpty: Bool { phrases.isEmpty }

    /// The terms that an index is asked for.
    public var terms: [SearchTerm] {
        var seen = Set<SearchTerm>()
        return phrases.flatMap { SearchTerm.terms(of: $0) }.filter { seen.insert($0).inserted }
    }

    /// Where a text has what is looked for; `nil`: the text does not have all of it.
    public func match(_ text: String) -> SearchMatch? {
        guard !isEmpty else { return nil }
        let units = SearchUnits(text).units
        var match = SearchMatch()
        for phrase in phrases {
            var isFound = false
            var index = 0
            while index < units.count {
                let count = phrase.count(in: units, at: index)
                if count > 0 {
                    isFound = true
                    match.add(units[index..<(index + count)], of: phrase)
                }
                index += max(count, 1)
            }
            if !isFound { return nil }
        }
        match.settle()
        return match
    }
}
