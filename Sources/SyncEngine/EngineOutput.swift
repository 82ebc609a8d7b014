import SyncModel

/// What the engine wants done. The driver carries outputs out in order.
public enum EngineOutput: Sendable {
    /// Ask the service; answer with `Engine.receive(reply:for:)`. The driver answers exactly once, within `timeout`
    /// milliseconds, with a failure if need be. Pings are never answered.
    case request(id: UInt64, ServiceRequest, timeout: Int64)
    /// Open the socket and log in; answers come as `Engine.connectionOpened`, service events and `connectionLost`.
    case openConnection(token: String)
    /// Close the socket; no `connectionLost` follows.
    case closeConnection
    case event(HostEvent)
    case completion(Completion)
}

/// How a call ended.
public struct Completion: Sendable {
    public enum Status: Int32, Sendable {
        case ok = 0, invalidArgument = -1, closed = -4, duplicatedFetch = -7, storage = -9, notConnected = -12
        case network = -13, service = -14, timeout = -15, notFound = -16, notOwnMessage = -17, removed = -18
        case tokenRejected = -19, `internal` = -99
    }

    public var call: UInt64
    /// The C function's name without its prefix: "fetch", "send_message".
    public var name: String
    public var status: Status
    /// More members of the result event, as key and JSON text.
    public var members: [(key: String, value: [UInt8])]
    /// The collection's state after the call, for those that change it.
    public var info: CollectionInfo?

    public init(
        call: UInt64, name: String, status: Status, members: [(key: String, value: [UInt8])] = [],
        info: CollectionInfo? = nil
    ) {
        self.call = call
        self.name = name
        self.status = status
        self.members = members
        self.info = info
    }
}
