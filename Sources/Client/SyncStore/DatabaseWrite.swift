/// A write to a realtime database that the service has not answered yet.
public struct DatabaseWrite: Equatable, Sendable {
    /// The numbers that writes may have; SQLite's range beyond them is never reached.
    static let ids: ClosedRange<Int64> = 1...(1 << 62)

    /// Its number among the writes to that database; the order in which they were made.
    public let id: Int64
    /// In the form of `DatabasePlace.path`.
    public let path: String
    /// The kind of the write; its numbers are those of `QueuedWrite.Kind`, which the caller defines.
    public let kind: Int64
    /// JSON.
    public let body: [UInt8]

    public init(id: Int64, path: String, kind: Int64, body: [UInt8]) {
        self.id = id
        self.path = path
        self.kind = kind
        self.body = body
    }

    func checksum(_ instance: DatabaseInstance) -> Int64 {
        var checksum = RowChecksum()
        checksum.add(instance.url)
        checksum.add(instance.name)
        checksum.add(id)
        checksum.add(path)
        checksum.add(kind)
        checksum.add(body)
        return checksum.value
    }
}
