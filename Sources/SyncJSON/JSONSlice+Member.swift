extension JSONSlice {
    /// The text of a member that is an object; `nil` when the text is no JSON object or has no such member.
    public static func member(_ key: StaticString, of object: [UInt8]) -> [UInt8]? {
        object.withUnsafeBytes { bytes in
            guard let member = (try? JSONSlice.checked(bytes))?[key], member.isObject else { return nil }
            return member.copy()
        }
    }
}
