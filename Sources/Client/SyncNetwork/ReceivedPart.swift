/// What an earlier exchange has left of a file that is received.
public struct ReceivedPart: Equatable, Sendable {
    /// Bytes.
    public let size: Int64
    public let version: FileVersion
}
