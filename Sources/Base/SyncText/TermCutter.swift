/// Cuts texts into the terms with which they are put into the index: each word, each symbol, and of a run of characters
/// each pair of neighbours, and the last character alone; each term once.
///
/// They are the terms of `SearchUnits`, written one behind the other in one pass over the text: every cached message
/// goes through here. It keeps its buffers from one text to the next, so it belongs to one thread.
public final class TermCutter {
    private var cut = TermCut()

    public init() {}

    /// Adds the terms of a text to `bytes`, a space behind each.
    public func write(_ text: String, to bytes: inout [UInt8]) { cut.write(text, to: &bytes) }
}

/// Does the cutting. It is a struct, since Swift checks each access to a property of a class at run time.
private struct TermCut {
    /// What stands before the next scalar and may go on with it.
    private enum Open { case nothing, word, characters }

    private var open = Open.nothing
    /// Where the word that is open begins.
    private var start = 0
    /// Of the open run: its last character, which a part may still change, and the one before it.
    private var (last, before): (Unicode.Scalar, Unicode.Scalar?) = ("0", nil)
    private var words: [UInt8] = []
    private var seen = SeenTerms()
    private var folded = [FoldedScalar](repeating: FoldedScalar(), count: 1024)

    mutating func write(_ text: String, to bytes: inout [UInt8]) {
        var text = text
        words.removeAll(keepingCapacity: true)
        text.withUTF8 { cut($0) }
        end()
        seen.clear()
        bytes += words
    }

    private mutating func cut(_ text: UnsafeBufferPointer<UInt8>) {
        var index = 0
        var left = SearchUnits.longest
        while index < text.count, left > 0 {
            left -= 1
            let byte = text[index]
            if byte < 0x80 {
                index += 1
                take(ascii: byte)
                continue
            }
            // A valid text has no other sequences than these.
            let length = byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4
            guard index + length <= text.count else { return }
            var value = UInt32(byte) & (length == 2 ? 0x1F : length == 3 ? 0x0F : 0x07)
            for offset in 1..<length { value = value << 6 | UInt32(text[index + offset] & 0x3F) }
            index += length
            if let scalar = Unicode.Scalar(value) { take(SearchUnits.narrow(scalar)) }
        }
    }

    private mutating func take(ascii byte: UInt8) {
        switch byte {
        case 0x30...0x39, 0x61...0x7A:
            openWord()
            words.append(byte)
        case 0x41...0x5A:
            openWord()
            words.append(byte | 0x20)
        default: end()
        }
    }

    private mutating func take(_ scalar: Unicode.Scalar) {
        if scalar.value < 0x80 { return take(ascii: UInt8(scalar.value)) }
        let slot = Int(scalar.value & 1023)
        if folded[slot].scalar != scalar { folded[slot] = FoldedScalar(scalar) }
        switch folded[slot].kind {
        case .dropped: return
        case .separator: end()
        case .letter:
            // A scalar that has no bytes left after folding is only a mark, and no letter.
            if folded[slot].bytes.isEmpty { return }
            openWord()
            words += folded[slot].bytes
        case .symbol:
            end()
            start = words.count
            words += folded[slot].bytes
            endTerm()
        case .character: take(character: scalar)
        }
    }

    private mutating func take(character scalar: Unicode.Scalar) {
        if open == .characters {
            if let whole = Composition.of(last, scalar) {
                last = whole
                return
            }
            if let before { write(before, last) }
            before = last
        } else {
            end()
            open = .characters
            before = nil
        }
        last = scalar
    }

    private mutating func openWord() {
        if open == .word { return }
        end()
        open = .word
        start = words.count
    }

    /// Ends the word or run that is open.
    private mutating func end() {
        switch open {
        case .nothing: return
        case .word: endTerm()
        case .characters:
            if let before { write(before, last) }
            write(last)
        }
        open = .nothing
    }

    private mutating func write(_ character: Unicode.Scalar, _ next: Unicode.Scalar? = nil) {
        start = words.count
        words.append(contentsOf: UTF8.encode(character) ?? UTF8.EncodedScalar())
        if let next { words.append(contentsOf: UTF8.encode(next) ?? UTF8.EncodedScalar()) }
        endTerm()
    }

    /// The bytes from `start` on are a term; they are removed again when the text has the term already.
    private mutating func endTerm() {
        let end = SearchTerm.end(of: words[start...])
        words.removeSubrange(end...)
        if seen.insert(start..<end, of: words) {
            words.append(UInt8(ascii: " "))
        } else {
            words.removeSubrange(start...)
        }
    }
}

/// How search treats a scalar, and how it is written in a term. Kept, since asking Unicode each time takes most of the
/// time.
private struct FoldedScalar {
    var scalar: Unicode.Scalar = "\0"
    var kind = ScalarKind.separator
    var bytes: [UInt8] = []

    init() {}

    init(_ scalar: Unicode.Scalar) {
        self.scalar = scalar
        kind = ScalarKind(scalar)
        func add(_ scalar: Unicode.Scalar) { bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.EncodedScalar()) }
        if kind == .letter { SearchUnits.fold(scalar, add) } else { add(scalar) }
    }
}

/// The terms of one text, by their places in it.
private struct SeenTerms {
    private var slots = [Range<Int>?](repeating: nil, count: 64)
    private var used: [Int] = []
    /// The most slots that are kept from one text to the next: few texts have more terms than half of these.
    private static let mostKept = 1024

    mutating func clear() {
        guard slots.count <= SeenTerms.mostKept else {
            self = SeenTerms()
            return
        }
        for slot in used { slots[slot] = nil }
        used.removeAll(keepingCapacity: true)
    }

    /// `false`: the text has this term already.
    mutating func insert(_ term: Range<Int>, of bytes: [UInt8]) -> Bool {
        if used.count * 2 >= slots.count { grow(bytes) }
        let slot = bytes.withUnsafeBytes { find(term, $0) }
        if slots[slot] != nil { return false }
        slots[slot] = term
        used.append(slot)
        return true
    }

    /// The slot of the term, or the free slot where it is to be.
    private func find(_ term: Range<Int>, _ bytes: UnsafeRawBufferPointer) -> Int {
        let wanted = UnsafeRawBufferPointer(rebasing: bytes[term])
        // The hash is seeded by the process, so whoever writes a text cannot choose terms that collide.
        var hasher = Hasher()
        hasher.combine(bytes: wanted)
        var slot = hasher.finalize() & (slots.count - 1)
        while let other = slots[slot], !bytes[other].elementsEqual(wanted) { slot = (slot + 1) & (slots.count - 1) }
        return slot
    }

    private mutating func grow(_ bytes: [UInt8]) {
        let terms = used.compactMap { slots[$0] }
        slots = Array(repeating: nil, count: slots.count * 2)
        used.removeAll(keepingCapacity: true)
        for term in terms { _ = insert(term, of: bytes) }
    }
}
