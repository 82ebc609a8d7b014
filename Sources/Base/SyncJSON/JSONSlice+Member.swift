extension JSONSlice {
    /// A copy of a member of an object that is known to be valid JSON; `nil` when the member is missing or no object.
    public static func member(_ key: StaticString, of object: [UInt8]) -> [UInt8]? {
        object.withUnsafeBytes { bytes in
            guard let member = JSONSlice.valid(bytes)[key], member.isObject else { return nil }
            return member.copy()
        }
    }

    /// The first member of that name, escapes resolved; `nil` when there is none or this is no object.
    public func member(named name: String) -> JSONSlice? {
        guard isObject else { return nil }
        var scan = JSONScan(bytes, at: 1)
        while let key = scan.nextValue() {
            scan.skipColon()
            guard let value = scan.nextValue() else { return nil }
            if JSONSlice(key).isText(name) { return JSONSlice(value) }
            scan.skipComma()
        }
        return nil
    }

    /// An element of an array; `nil` outside its bounds or when this is no array.
    public func element(at index: Int) -> JSONSlice? {
        guard isArray, index >= 0 else { return nil }
        var scan = JSONScan(bytes, at: 1)
        var count = 0
        while let value = scan.nextValue() {
            if count == index { return JSONSlice(value) }
            count += 1
            scan.skipComma()
        }
        return nil
    }

    /// The value of any number; one that is too large is infinite.
    public var double: Double? {
        if let int { return Double(int) }
        guard let first = bytes.first, first == UInt8(ascii: "-") || first &- UInt8(ascii: "0") < 10 else { return nil }
        return Double(String(decoding: bytes, as: UTF8.self))
    }

    /// Whether this is a string of these bytes.
    private func isText(_ text: String) -> Bool {
        let inner = unquoted
        if inner.contains(UInt8(ascii: "\\")) { return string.map { $0.utf8.elementsEqual(text.utf8) } ?? false }
        return inner.count == text.utf8.count && inner.elementsEqual(text.utf8)
    }
}
