/// A write to a realtime database that the service has not answered yet.
public struct DatabaseWrite: Equatable, Sendable {
    /// Numbers that writes have. Behind them there is room for more than anybody writes.
    static let ids: ClosedRange<Int64> = 1...(1 << 62)

    /// Its number among the writes to that database; the order in which they were made.
    public let id: Int64
    /// As `DatabasePlace` has it.
    public let path: String
    /// What is written; whoever keeps it says which number means what.
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
