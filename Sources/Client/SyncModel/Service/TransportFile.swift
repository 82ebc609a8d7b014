/// A file on this machine that a request sends, or that the body of its answer becomes. How far it is comes as
/// `TransportInput.progress`; the request's timeout is one without progress.
public enum TransportFile: Equatable, Sendable {
    case sent(TransportForm)
    case received(TransportTarget)
}

/// A body of type multipart/form-data, with a file that is read while it is sent.
public struct TransportForm: Equatable, Sendable {
    public struct Field: Equatable, Sendable {
        public var name: String
        public var value: String

        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The plain parts, before the file.
    public var fields: [Field]
    /// Of the file's part: its name in the form, and what the form says of the file.
    public var part: String
    public var fileName: String
    public var type: String
    public var path: String
    /// The stamp that the file must have; otherwise the request fails with `FileProblem.changed`.
    public var stamp: FileStamp

    public init(
        fields: [Field], part: String, fileName: String, type: String, path: String, stamp: FileStamp
    ) {
        self.fields = fields
        self.part = part
        self.fileName = fileName
        self.type = type
        self.path = path
        self.stamp = stamp
    }
}

/// Where an answer of success is written; the body of `TransportResponse` is empty then. Until it is complete it has
/// another name beside `path`, and a later request for the same `source` goes on behind its end.
public struct TransportTarget: Equatable, Sendable {
    public var path: String
    public var source: String
    /// Bytes of the whole file at most.
    public var limit: Int64
    /// Whether a file that has the name is replaced.
    public var replaces: Bool

    public init(path: String, source: String, limit: Int64, replaces: Bool) {
        self.path = path
        self.source = source
        self.limit = limit
        self.replaces = replaces
    }
}
