/// Why a text is not a JSON document.
public struct JSONError: Error, Equatable, Sendable {
    /// One line, impersonal.
    public let message: String
    /// The byte at which reading stopped.
    public let offset: Int

    public init(message: String, offset: Int) {
        self.message = message
        self.offset = offset
    }
}
