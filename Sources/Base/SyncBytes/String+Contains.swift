extension String {
    /// Whether a text occurs in this one, byte by byte. (The standard library's own search comes with the string
    /// processing runtime, which this program does without.)
    public func contains(text: String) -> Bool {
        let needle = Array(text.utf8)
        guard !needle.isEmpty else { return true }
        let bytes = Array(utf8)
        guard bytes.count >= needle.count else { return false }
        for start in 0...(bytes.count - needle.count) where bytes[start] == needle[0] {
            if bytes[start..<(start + needle.count)].elementsEqual(needle) { return true }
        }
        return false
    }
}
