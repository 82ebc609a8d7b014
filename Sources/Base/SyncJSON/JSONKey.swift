/// The name of an object's member in place: the text between the quotes, escapes unresolved.
public struct JSONKey {
    private let start: UnsafePointer<UInt8>
    public let count: Int

    @inline(__always)
    init(start: UnsafePointer<UInt8>, count: Int) {
        self.start = start
        self.count = count
    }

    /// The first byte; 0 when the name is empty.
    public var first: UInt8 { count > 0 ? start[0] : 0 }

    /// Whether the name is `word`, written without escapes.
    @inline(__always)
    public func equals(_ word: StaticString) -> Bool {
        count == word.utf8CodeUnitCount && JSONScan.same(UnsafeRawPointer(start), word.utf8Start, count)
    }

    /// The name with its quotes, as a string value.
    public var slice: JSONSlice { JSONSlice(UnsafeRawBufferPointer(start: start - 1, count: count + 2)) }
}
