// Texts of Swift are equal when they look alike: an é of one scalar is the same as an e with an accent behind it.
// Clients, SQLite and JSON compare bytes, and so does this code wherever a text has come from outside.

extension String {
    /// Whether both are the same bytes of UTF-8.
    @inlinable
    public func isByteEqual(to other: String) -> Bool {
        utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8)
    }

    /// Whether this one stands before the other one in the order of their bytes, which is that of SQLite too.
    @inlinable
    public func isByteOrdered(before other: String) -> Bool { utf8.lexicographicallyPrecedes(other.utf8) }

    /// Whether the bytes begin with those of another text. (`hasPrefix` looks at whole letters.)
    @inlinable
    public func beginsWithBytes(of prefix: String) -> Bool { utf8.starts(with: prefix.utf8) }

    /// Whether the bytes end with those of another text.
    @inlinable
    public func endsWithBytes(of suffix: String) -> Bool { utf8.suffix(suffix.utf8.count).elementsEqual(suffix.utf8) }

    /// The text without some bytes at its ends. (A slash with an accent behind it is one letter to `dropFirst`.)
    public func droppingBytes(first: Int = 0, last: Int = 0) -> String {
        String(decoding: utf8.dropFirst(first).dropLast(last), as: UTF8.self)
    }

    /// The parts between separators, none of them empty. (To `split`, a comma with an accent behind it is no comma.)
    public func parts(between separator: UInt8) -> [String] {
        utf8.split(separator: separator).map { String(decoding: $0, as: UTF8.self) }
    }
}

extension String? {
    /// Whether there is a text, and its bytes equal those of the other one.
    @inlinable
    public func isByteEqual(to other: String) -> Bool { self?.isByteEqual(to: other) ?? false }
}

extension Sequence<String> {
    /// Whether one of the texts has the same bytes as `text`.
    @inlinable
    public func containsBytes(of text: String) -> Bool { contains { $0.isByteEqual(to: text) } }

    /// In the order of their bytes.
    public func sortedByBytes() -> [String] { sorted { $0.isByteOrdered(before: $1) } }
}

extension Sequence {
    /// The first value that has a text as its key.
    public func value<Value>(ofKey text: String) -> Value? where Element == (String, Value) {
        first { $0.0.isByteEqual(to: text) }?.1
    }
}
