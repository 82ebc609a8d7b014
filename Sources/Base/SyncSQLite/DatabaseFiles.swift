import Glibc

/// The files of one database.
enum DatabaseFiles {
    /// The file itself, and SQLite's own files beside it.
    private static let endings = ["", "-journal", "-wal", "-shm"]

    /// Checks that none of them is a pipe or a device: SQLite would wait for ever for the other end of a pipe, and read
    /// a device without an end.
    static func checkKind(of path: String) throws(StoreError) {
        for file in endings.map({ path + $0 }) {
            var status = stat()
            guard stat(file, &status) == 0, status.st_mode & S_IFMT != S_IFREG else { continue }
            throw .cannotOpen(path: file, message: "it is not a regular file")
        }
    }
}
