import Glibc

/// The files of one database.
public enum DatabaseFiles {
    /// SQLite's own files beside the database at a path, and that one at last: a log that is left without its database
    /// would be replayed into a new one.
    public static func paths(of path: String) -> [String] { ["-wal", "-shm", "-journal", ""].map { path + $0 } }

    /// Checks that none of them is a pipe or a device: SQLite would wait for ever for the other end of a pipe, and read
    /// a device without an end.
    static func checkKind(of path: String) throws(StoreError) {
        for file in paths(of: path) {
            var status = stat()
            guard stat(file, &status) == 0, status.st_mode & S_IFMT != S_IFREG else { continue }
            throw .cannotOpen(path: file, message: "it is not a regular file")
        }
    }
}
