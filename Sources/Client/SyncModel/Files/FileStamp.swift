/// Identifies a file on this machine: when one of these values differs, it is another file, or it was changed.
public struct FileStamp: Equatable, Sendable {
    /// Bytes.
    public var size: Int64
    /// Nanoseconds since the epoch.
    public var modified: Int64
    public var inode: UInt64

    public init(size: Int64, modified: Int64, inode: UInt64) {
        self.size = size
        self.modified = modified
        self.inode = inode
    }
}

/// What is wrong with a file on this machine.
public enum FileProblem: Error, Equatable, Sendable {
    case missing, unreadable, empty
    /// A folder, a pipe, a device.
    case notRegular
    /// The file was changed, or is another one, since it was to be sent.
    case changed
    /// There is a file already, and it is not to be replaced.
    case exists
    case unwritable
    /// It is being written already.
    case busy
    /// The system cannot open it now, for lack of descriptors or memory. Worth a retry after a pause.
    case unavailable
}

/// Looks at files, and writes them for the engine, which itself uses the disk only through its stores.
public protocol FileLooking: AnyObject {
    /// The stamp of a file as it is now; throws when the file cannot be sent.
    func look(at path: String) throws(FileProblem) -> FileStamp
    /// Begins to write a file. `replaces`: also where there is one already.
    func write(to path: String, replaces: Bool) -> any FileWriting
}
