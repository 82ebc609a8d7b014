/// A word, a character of a script that is written without spaces, or a symbol, as search sees it: in lower case and
/// without accents.
public struct SearchUnit: Equatable, Sendable {
    public enum Kind: Sendable { case word, character, symbol }

    public let kind: Kind
    /// As UTF-8.
    public internal(set) var text: [UInt8]
    /// Whether this is a character that follows another one without anything between them.
    public let isJoined: Bool
    /// Where it stands, as bytes of the text.
    public internal(set) var place: Range<Int>
}

/// The units of a text, which are the same however a text is composed: "é" is one scalar or two, and Hangul and kana
/// may come in parts.
///
/// Accents do not count, since people leave them out. Marks that make another letter stay, as the vowels of Devanagari
/// do. Only the first `longest` scalars of a text are searched: a text that comes from others must not take unlimited
/// time.
public struct SearchUnits: Sendable {
    /// The most scalars of a text that are searched.
    public static let longest = 10_000

    public private(set) var units: [SearchUnit] = []
    /// Whether the next scalar may belong to the last unit.
    private var isOpen = false
    /// The scalar that the last unit consists of, while a part may follow that changes it.
    private var last: Unicode.Scalar?

    public init(_ text: String) {
        var offset = 0
        for scalar in text.unicodeScalars.prefix(SearchUnits.longest) {
            let next = offset + UTF8.width(scalar)
            take(scalar, offset..<next)
            offset = next
        }
    }

    private mutating func take(_ scalar: Unicode.Scalar, _ place: Range<Int>) {
        let scalar = SearchUnits.narrow(scalar)
        switch ScalarKind(scalar) {
        case .dropped: if isOpen, let index = units.indices.last { units[index].place = extended(index, place) }
        case .separator: isOpen = false
        case .symbol: append(.symbol, scalar, place)
        case .character: if !compose(scalar, place) { append(.character, scalar, place) }
        case .letter: SearchUnits.fold(scalar) { append(.word, $0, place) }
        }
    }

    private func extended(_ index: Int, _ place: Range<Int>) -> Range<Int> {
        units[index].place.lowerBound..<max(units[index].place.upperBound, place.upperBound)
    }

    private mutating func append(_ kind: SearchUnit.Kind, _ scalar: Unicode.Scalar, _ place: Range<Int>) {
        // Encoded without a `String` for each letter.
        let encoded = UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
        if kind == .word, isOpen, let index = units.indices.last, units[index].kind == .word {
            units[index].text.append(contentsOf: encoded)
            units[index].place = extended(index, place)
            return
        }
        let bytes = Array(encoded)
        let isJoined = kind == .character && isOpen && units.last?.kind == .character
        units.append(SearchUnit(kind: kind, text: bytes, isJoined: isJoined, place: place))
        isOpen = true
        last = kind == .character ? scalar : nil
    }

    /// A part of a syllable, or a mark of kana, becomes one with the character before it.
    private mutating func compose(_ scalar: Unicode.Scalar, _ place: Range<Int>) -> Bool {
        guard isOpen, let index = units.indices.last, units[index].kind == .character, let last,
            let whole = Composition.of(last, scalar)
        else { return false }
        units[index].text = Array(String(whole).utf8)
        units[index].place = extended(index, place)
        self.last = whole
        return true
    }

    // MARK: Folding

    /// The usual form of a full-width letter, which is as wide as a Chinese character.
    static func narrow(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        guard (0xFF01...0xFF5E).contains(scalar.value) else { return scalar }
        return Unicode.Scalar(scalar.value - 0xFEE0) ?? scalar
    }

    static func fold(_ scalar: Unicode.Scalar, _ take: (Unicode.Scalar) -> Void) {
        if scalar.value < 0x80 {
            let isUpper = (0x41...0x5A).contains(scalar.value)
            return take(isUpper ? Unicode.Scalar(scalar.value + 0x20) ?? scalar : scalar)
        }
        for lower in scalar.properties.lowercaseMapping.unicodeScalars {
            switch lower {
            case "ß": take("s"); take("s")
            case "æ": take("a"); take("e")
            case "œ": take("o"); take("e")
            case "þ": take("t"); take("h")
            default:
                let base = LetterBases.base(of: lower) ?? lower
                if case .dropped = ScalarKind(base) { continue }
                take(base)
            }
        }
    }
}
