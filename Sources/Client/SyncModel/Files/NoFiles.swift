/// A machine without files.
public final class NoFiles: FileLooking {
    public init() {}

    public func look(at path: String) throws(FileProblem) -> FileStamp { throw .missing }
}
