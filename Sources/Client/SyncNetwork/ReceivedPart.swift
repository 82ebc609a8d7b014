/// What an earlier exchange has left of a file that is received.
struct ReceivedPart: Equatable, Sendable {
    /// Bytes.
    let size: Int64
    let version: FileVersion
}
