extension JSONSlice {
    /// A JSON object's text with some members set: replaced in place, or added at the end. Everything else stays as it
    /// was written, byte for byte. The text is valid JSON, as a record's is; `nil` when it is not an object or a value
    /// is not JSON.
    public static func setting(_ members: [(key: String, value: [UInt8])], in object: [UInt8]) -> [UInt8]? {
        for member in members where !member.value.withUnsafeBytes(isValid) { return nil }
        return object.withUnsafeBytes { buffer -> [UInt8]? in
            let slice = JSONSlice.valid(buffer)
            guard slice.isObject, slice.bytes.last == UInt8(ascii: "}"), let base = slice.bytes.baseAddress else {
                return nil
            }
            var text: [UInt8] = []
            text.reserveCapacity(members.reduce(slice.bytes.count) { $0 + $1.value.count + $1.key.utf8.count + 8 })
            var missing = members
            var copied = 0
            var isEmpty = true
            slice.forEachMember { key, value in
                isEmpty = false
                guard let start = value.bytes.baseAddress, let member = members.last(where: { key.isText($0.key) })
                else {
                    return
                }
                missing.removeAll { $0.key == member.key }
                text.append(contentsOf: slice.bytes[copied..<(start - base)])
                text.append(contentsOf: member.value)
                copied = start - base + value.bytes.count
            }
            guard copied < slice.bytes.count else { return nil }
            text.append(contentsOf: slice.bytes[copied..<(slice.bytes.count - 1)])
            for (key, value) in missing {
                if !isEmpty { text.append(UInt8(ascii: ",")) }
                isEmpty = false
                var writer = JSONWriter(capacity: key.utf8.count + 8)
                writer.string(key)
                text.append(contentsOf: writer.bytes)
                text.append(UInt8(ascii: ":"))
                text.append(contentsOf: value)
            }
            text.append(UInt8(ascii: "}"))
            return text
        }
    }

    /// A JSON object's text without some members. The other members stay byte for byte, but the space between them may
    /// change. `nil` when the text is not a JSON object.
    public static func removing(_ names: Set<String>, from object: [UInt8]) -> [UInt8]? {
        object.withUnsafeBytes { buffer -> [UInt8]? in
            guard let slice = try? JSONSlice.checked(buffer), slice.isObject else { return nil }
            var text: [UInt8] = [UInt8(ascii: "{")]
            text.reserveCapacity(slice.bytes.count)
            slice.forEachMember { key, value in
                if names.contains(where: { key.isText($0) }) { return }
                if text.count > 1 { text.append(UInt8(ascii: ",")) }
                text.append(contentsOf: key.bytes)
                text.append(UInt8(ascii: ":"))
                text.append(contentsOf: value.bytes)
            }
            text.append(UInt8(ascii: "}"))
            return text
        }
    }

    private static func isValid(_ buffer: UnsafeRawBufferPointer) -> Bool { (try? JSONSlice.checked(buffer)) != nil }

    /// Whether this is a string of that text.
    private func isText(_ text: String) -> Bool {
        let inner = unquoted
        let excess = inner.count - text.utf8.count
        // An escape is longer than the character that it stands for.
        if excess == 0 { return inner.elementsEqual(text.utf8) && !inner.contains(UInt8(ascii: "\\")) }
        return excess > 0 && inner.contains(UInt8(ascii: "\\")) && string == text
    }
}
