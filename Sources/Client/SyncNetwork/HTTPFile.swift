/// A file on the disk that takes part in an exchange. It is opened, read and written by a thread of its own, so that a
/// slow disk delays no other exchange.
public enum HTTPFile: Sendable {
    case sent(HTTPForm)
    case received(HTTPTarget)
}

/// A body of type multipart/form-data with one file, which is read while it is sent.
public struct HTTPForm: Sendable {
    /// The plain parts, before the file.
    public var fields: [(String, String)]
    /// Of the file's part: its name in the form, and what the form says of the file.
    public var part: String
    public var fileName: String
    public var type: String
    public var path: String
    /// The stamp that the file must have: another file, or one that was changed, is not sent.
    public var stamp: DiskFile.Stamp

    public init(
        fields: [(String, String)], part: String, fileName: String, type: String, path: String, stamp: DiskFile.Stamp
    ) {
        self.fields = fields
        self.part = part
        self.fileName = fileName
        self.type = type
        self.path = path
        self.stamp = stamp
    }
}

/// Where the body of an answer is written. Until it is complete it has another name beside `path`, under which a later
/// exchange goes on with it.
public struct HTTPTarget: Sendable {
    public var path: String
    /// Identifies what is received: a part that was received under another text is not continued.
    public var source: String
    /// Bytes of the whole file at most.
    public var limit: Int64
    /// Whether a file that has the name already is replaced.
    public var replaces: Bool

    public init(path: String, source: String, limit: Int64 = .max, replaces: Bool = false) {
        self.path = path
        self.source = source
        self.limit = limit
        self.replaces = replaces
    }
}
