import CSQLite

/// The VFS that writes each commit to the log with one call; see wal_gather.h.
enum WALGathering {
    /// Its name once it is registered; `nil`, which is SQLite's own default, when that failed.
    nonisolated(unsafe) static let vfsName: UnsafePointer<CChar>? = {
        let text = "syncmanager-wal"
        let name = UnsafeMutablePointer<CChar>.allocate(capacity: text.utf8.count + 1)
        for (index, byte) in text.utf8.enumerated() { name[index] = CChar(bitPattern: byte) }
        name[text.utf8.count] = 0
        guard shim_register_wal_gathering(name, nil) == SQLITE_OK else {
            name.deallocate()
            return nil
        }
        return UnsafePointer(name)
    }()
}
