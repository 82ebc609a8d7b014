import CLinux

extension JSONSlice {
    /// Whether a JSON text has these bytes somewhere, in a key, a value or between. A quick look before a text is taken
    /// apart that nearly never has them.
    public static func has(_ part: StaticString, in text: UnsafeRawBufferPointer) -> Bool {
        guard let base = text.baseAddress else { return false }
        return memmem(base, text.count, part.utf8Start, part.utf8CodeUnitCount) != nil
    }
}
