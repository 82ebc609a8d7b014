import ServerBase

// Changelog tokens are the number of the last change they cover.
extension Storage {
    public func changeToken(_ sequence: Int64) -> String { "c\(sequence)" }

    public func changeNumber(_ token: String) throws -> Int64 {
        guard token.hasPrefix("c"), let number = Int64(token.dropFirst()), number >= 0 else {
            throw Refusal.invalid("token", "it is not from here")
        }
        // The token comes from a database that is gone.
        guard number <= lastSequence else { throw Refusal.expiredToken() }
        return number
    }
}
