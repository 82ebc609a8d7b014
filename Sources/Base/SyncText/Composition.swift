/// Two parts that Unicode has as one character, too: the parts of a Hangul syllable, and kana with their marks.
enum Composition {
    /// The one character; `nil`: the two parts stay two characters.
    static func of(_ first: Unicode.Scalar, _ second: Unicode.Scalar) -> Unicode.Scalar? {
        hangul(first.value, second.value) ?? kana(first.value, second.value)
    }

    private static let initials: Range<UInt32> = 0x1100..<0x1113
    private static let vowels: Range<UInt32> = 0x1161..<0x1176
    /// The first code is no character: it stands for a syllable without a final consonant.
    private static let finals: Range<UInt32> = 0x11A7..<0x11C3
    private static let syllables: Range<UInt32> = 0xAC00..<0xD7A4

    private static func hangul(_ first: UInt32, _ second: UInt32) -> Unicode.Scalar? {
        let (vowelCount, finalCount) = (UInt32(vowels.count), UInt32(finals.count))
        if initials.contains(first), vowels.contains(second) {
            let syllable = (first - initials.lowerBound) * vowelCount + second - vowels.lowerBound
            return Unicode.Scalar(syllables.lowerBound + syllable * finalCount)
        }
        guard syllables.contains(first), (first - syllables.lowerBound) % finalCount == 0, second > finals.lowerBound,
            finals.contains(second)
        else { return nil }
        return Unicode.Scalar(first + second - finals.lowerBound)
    }

    private static let voiced: Set<UInt32> = [
        0x304B, 0x304D, 0x304F, 0x3051, 0x3053, 0x3055, 0x3057, 0x3059, 0x305B, 0x305D, 0x305F, 0x3061, 0x3064, 0x3066,
        0x3068, 0x306F, 0x3072, 0x3075, 0x3078, 0x307B, 0x309D,
    ]
    private static let halfVoiced: Set<UInt32> = [0x306F, 0x3072, 0x3075, 0x3078, 0x307B]
    /// How far a katakana letter is behind its hiragana.
    private static let katakana: UInt32 = 0x60

    private static func kana(_ first: UInt32, _ mark: UInt32) -> Unicode.Scalar? {
        let hiragana = (0x30A0...0x30FF).contains(first) ? first - katakana : first
        switch mark {
        case 0x3099 where hiragana == 0x3046: return Unicode.Scalar(first + 0x4E)
        case 0x3099 where voiced.contains(hiragana): return Unicode.Scalar(first + 1)
        case 0x309A where halfVoiced.contains(hiragana): return Unicode.Scalar(first + 2)
        default: return nil
        }
    }
}
