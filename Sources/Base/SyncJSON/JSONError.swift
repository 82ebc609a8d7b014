/// Why a text is not a JSON document.
public struct JSONError: Error, Equatable, Sendable {
    /// One line, impersonal.
    public let message: String
    /// The byte at which reading stopped.
    public let offset: Int
    /// Whether the text was not read any further because it has more than `JSONReader.valueLimit` values.
    public let isTooLarge: Bool

    public init(message: String, offset: Int, isTooLarge: Bool = false) {
        self.message = message
        self.offset = offset
        self.isTooLarge = isTooLarge
    }
}
