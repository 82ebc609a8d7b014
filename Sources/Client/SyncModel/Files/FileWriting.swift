/// A file that is being written, beside the engine: none of these calls waits for a disk.
///
/// Until the file is whole it has a temporary name; when it is given up, nothing of it stays.
public protocol FileWriting: AnyObject {
    var state: FileWritingState { get }
    /// Takes bytes to be written behind those before; `false` when there is no room for them yet.
    func take(_ bytes: [UInt8]) -> Bool
    /// All has been taken: the file gets its name when it is on the disk, and then `state` is `complete`.
    func finish()
    /// Gives the file up.
    func discard()
}

public enum FileWritingState: Equatable, Sendable {
    case opening, ready, complete
    case failed(FileProblem)
}
