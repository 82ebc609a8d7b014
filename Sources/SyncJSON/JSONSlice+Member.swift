extension JSONSlice {
    /// The text of a member that is an object; `nil` when there is none. The text is known to be JSON.
    public static func member(_ key: StaticString, of object: [UInt8]) -> [UInt8]? {
        object.withUnsafeBytes { bytes in
            guard let member = JSONSlice.valid(bytes)[key], member.isObject else { return nil }
            return member.copy()
        }
    }
}
