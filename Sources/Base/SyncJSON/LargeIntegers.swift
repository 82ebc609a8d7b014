/// Whole numbers beyond 64 bits. The grammar allows them, but jansson refuses them, while other readers take them as
/// doubles. With a fraction of zero jansson takes them as doubles, too.
struct LargeIntegers {
    /// The text with a fraction of zero added to each of these numbers.
    let text: [UInt8]
    /// The offset of each fraction in `text`.
    private let places: [Int]
    private static let fraction = [UInt8(ascii: "."), UInt8(ascii: "0")]

    /// `nil` when the text has no such numbers.
    init?(in bytes: UnsafeRawBufferPointer) {
        var text: [UInt8] = []
        var places: [Int] = []
        var copied = 0
        var index = 0
        while index < bytes.count {
            let end: Int
            switch bytes[index] {
            case UInt8(ascii: "\""): end = LargeIntegers.endOfString(bytes, index)
            case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                end = LargeIntegers.endOfNumber(bytes, index)
                if LargeIntegers.isLarge(bytes[index..<end]) {
                    text += bytes[copied..<end]
                    places.append(text.count)
                    text += LargeIntegers.fraction
                    copied = end
                }
            default: end = index + 1
            }
            index = end
        }
        guard !places.isEmpty else { return nil }
        text += bytes[copied...]
        self.text = text
        self.places = places
    }

    /// The offset in the original text for an offset in `text`.
    func original(_ offset: Int) -> Int {
        max(0, offset - LargeIntegers.fraction.count * places.count { $0 < offset })
    }

    private static func endOfString(_ bytes: UnsafeRawBufferPointer, _ start: Int) -> Int {
        var index = start + 1
        while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
            index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return min(index + 1, bytes.count)
    }

    private static func endOfNumber(_ bytes: UnsafeRawBufferPointer, _ start: Int) -> Int {
        var index = start + 1
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"),
                UInt8(ascii: "+"), UInt8(ascii: "-"):
                index += 1
            default: return index
            }
        }
        return index
    }

    private static func isLarge(_ number: Slice<UnsafeRawBufferPointer>) -> Bool {
        let digits = number.first == UInt8(ascii: "-") ? number.dropFirst() : number
        // Numbers with fewer digits always fit.
        guard digits.count >= 19, digits.allSatisfy({ $0 &- UInt8(ascii: "0") < 10 }) else { return false }
        return JSONSlice(UnsafeRawBufferPointer(rebasing: number)).int == nil
    }
}
