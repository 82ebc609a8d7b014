/// A file that is being written, beside the engine: none of these calls waits for a disk.
///
/// Until it is whole it has another name than its own; nothing of it stays when it is given up.
public protocol FileWriting: AnyObject {
    var state: FileWritingState { get }
    /// Takes bytes to be written behind those before; `false` when there is no room for them yet.
    func take(_ bytes: [UInt8]) -> Bool
    /// All has been taken: the file gets its name when it is on the disk, and then `state` is `complete`.
    func finish()
    /// Nobody wants it any more.
    func discard()
}

public enum FileWritingState: Equatable, Sendable {
    case opening, ready, complete
    case failed(FileProblem)
}
