/// How search treats a character.
enum ScalarKind {
    /// Search ignores it: a mark that people may leave out, a variation selector, a joiner.
    case dropped
    case separator
    /// Part of a word.
    case letter
    /// Of a script that is written without spaces.
    case character
    /// It stands for itself, as emoji do.
    case symbol

    init(_ scalar: Unicode.Scalar) {
        let value = scalar.value
        if value < 0x80 {
            let isWord = (0x30...0x39).contains(value) || (0x41...0x5A).contains(value) || (0x61...0x7A).contains(value)
            self = isWord ? .letter : .separator
        } else if ScalarKind.contains(ScalarKind.marks, value) {
            self = .dropped
        } else {
            switch scalar.properties.generalCategory {
            case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .nonspacingMark,
                .spacingMark, .enclosingMark, .decimalNumber, .letterNumber, .otherNumber:
                self = ScalarKind.contains(ScalarKind.unspaced, value) ? .character : .letter
            case .otherSymbol: self = .symbol
            default: self = .separator
            }
        }
    }

    private static func contains(_ ranges: [ClosedRange<UInt32>], _ value: UInt32) -> Bool {
        // The ranges ascend, and there are few.
        for range in ranges where value <= range.upperBound { return value >= range.lowerBound }
        return false
    }

    /// Accents, the points of Hebrew, the vowel marks and the stretching stroke of Arabic, joins, the marks that choose
    /// how an emoji looks.
    private static let marks: [ClosedRange<UInt32>] = [
        0xAD...0xAD, 0x300...0x36F, 0x483...0x489, 0x591...0x5BD, 0x5BF...0x5BF, 0x5C1...0x5C2, 0x5C4...0x5C5,
        0x5C7...0x5C7, 0x610...0x61A, 0x640...0x640, 0x64B...0x65F, 0x670...0x670, 0x6D6...0x6DC, 0x6DF...0x6E8,
        0x6EA...0x6ED, 0x1AB0...0x1AFF, 0x1DC0...0x1DFF, 0x200C...0x200F, 0x202A...0x202E, 0x2060...0x2069,
        0x20D0...0x20FF, 0xFE00...0xFE0F, 0xFE20...0xFE2F, 0xFEFF...0xFEFF, 0x1F3FB...0x1F3FF, 0xE0000...0xE01EF,
    ]

    /// Thai and Lao, Myanmar, Hangul, Khmer, Chinese characters, kana, Yi.
    private static let unspaced: [ClosedRange<UInt32>] = [
        0xE00...0xEFF, 0x1000...0x109F, 0x1100...0x11FF, 0x1780...0x17FF, 0x2E80...0x2FDF, 0x3005...0x3007,
        0x3021...0x3029, 0x3040...0x318F, 0x31A0...0x31BF, 0x31F0...0x31FF, 0x3400...0x4DBF, 0x4E00...0xA4CF,
        0xA960...0xA97F, 0xAC00...0xD7FF, 0xF900...0xFAFF, 0xFF66...0xFFDC, 0x1B000...0x1B16F, 0x20000...0x3FFFF,
    ]
}
