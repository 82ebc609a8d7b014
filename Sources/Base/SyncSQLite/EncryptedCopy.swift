/// An encrypted copy of a plain file.
public enum EncryptedCopy {
    /// Makes the copy. Neither file may be open meanwhile.
    /// - Parameters:
    ///   - new: the path of the copy; no such file may be there.
    ///   - settings: of the copy, with its key.
    public static func make(of path: String, at new: String, _ settings: ConnectionSettings) throws(StoreError) {
        let copy = try Connection(path: new, settings)
        defer { copy.shut() }
        // Without a key the file is attached as a plain one.
        try copy.prepare("ATTACH DATABASE ? AS plain KEY ''").bind(path).run()
        try copy.execute("SELECT sqlcipher_export('main', 'plain')")
        let version = try copy.prepare("PRAGMA plain.user_version")
        let number = try version.next() ? version.int(0) : 0
        version.reset()
        try copy.execute("PRAGMA main.user_version = \(number)")
        try copy.execute("DETACH DATABASE plain")
        try copy.emptyLog()
    }
}
