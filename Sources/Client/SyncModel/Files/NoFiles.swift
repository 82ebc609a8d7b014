/// A machine without files.
public final class NoFiles: FileLooking {
    public init() {}

    public func look(at path: String) throws(FileProblem) -> FileStamp { throw .missing }

    public func write(to path: String, replaces: Bool) -> any FileWriting { NoFile() }
}

private final class NoFile: FileWriting {
    var state: FileWritingState { .failed(.unwritable) }

    func take(_ bytes: [UInt8]) -> Bool { false }
    func finish() {}
    func discard() {}
}
