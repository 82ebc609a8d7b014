/// Why a server cannot be started, or filled, as it was asked to be: one line for whoever started it.
public struct SetupError: Error, CustomStringConvertible {
    public let description: String

    public init(_ description: String) { self.description = description }
}
