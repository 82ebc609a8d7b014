import CLinux

extension JSONSlice {
    /// Whether a JSON text has these bytes anywhere: in a key, in a value or between them. A quick check, for texts
    /// that rarely have them, which saves parsing the text.
    public static func has(_ part: StaticString, in text: UnsafeRawBufferPointer) -> Bool {
        guard let base = text.baseAddress else { return false }
        return memmem(base, text.count, part.utf8Start, part.utf8CodeUnitCount) != nil
    }
}
