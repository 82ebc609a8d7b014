/// A chat service, in the engine's words. A state machine without thread, clock, socket or random source: it takes
/// requests, bytes and the time, and gives bytes to send, replies and events.
///
/// Login, signs of life, acknowledgements with their deadlines, session renewal with requests that wait for it: the
/// service does all of this. What the engine is told is whether the service can be used (`connected`, `disconnected`)
/// and what happened. After every call `takeOutputs` has to be asked for.
public protocol ChatService: AnyObject {
    /// What this service can do.
    var capabilities: ServiceCapabilities { get }
    /// What its fields and codes mean.
    var rules: any ServiceRules { get }

    /// Opens a session. One `connected` or `disconnected` follows, and after a `connected` at some time a
    /// `disconnected`, unless `disconnect` comes first.
    func connect(_ start: SessionStart, now: Moment)
    /// What came since a point of the stream could not be stored. The service tells it again from that point on;
    /// without a point, it begins as at a first login. Only of services that tell `batch`.
    func resume(from point: String?, now: Moment)
    /// Whether what the service gave by `keep` is on the disk. Only of services that tell `keep`.
    func kept(_ isStored: Bool, now: Moment)
    /// Ends the session. Nothing more is told of it: no event, and no reply to requests that are under way.
    func disconnect(now: Moment)
    /// Asks; exactly one reply with this id follows within `timeout` milliseconds, a failure if need be, unless the
    /// session ends first.
    func ask(_ request: ServiceRequest, id: UInt64, timeout: Int64, now: Moment)
    /// Nobody waits for the reply any more: the request ends, at whatever stage it is, and what has come of a file is
    /// not kept.
    func cancel(_ id: UInt64, now: Moment)
    /// Something came from the network.
    func receive(_ input: TransportInput, now: Moment)
    /// When there is something to do without an input, by the monotonic clock; `nil` when nothing is planned.
    var nextDeadline: Int64? { get }
    /// Does what is due.
    func advance(now: Moment)
    /// The outputs since the last call, in order.
    func takeOutputs() -> [ServiceOutput]
}

extension ChatService {
    public func resume(from point: String?, now: Moment) {}
    public func kept(_ isStored: Bool, now: Moment) {}
    public func cancel(_ id: UInt64, now: Moment) {}
}

/// What a session begins with.
public struct SessionStart: Equatable, Sendable {
    /// The host's access token.
    public var token: String
    /// The time, by the service's clock, up to which purges of messages are known; 0: none are known.
    public var retentionTime: Int64
    /// From where the stream of events goes on: the point of the last `batch` that was stored.
    public var resume: String?
    /// What the service gave by `keep` last.
    public var kept: String?

    public init(token: String, retentionTime: Int64 = 0, resume: String? = nil, kept: String? = nil) {
        self.token = token
        self.retentionTime = retentionTime
        self.resume = resume
        self.kept = kept
    }
}

public indirect enum ServiceOutput: Sendable {
    case transport(TransportCommand)
    case event(ServiceEvent)
    case reply(id: UInt64, ServiceReply)
    /// How many bytes of the file that a request sends or receives are done, and how many the file has; `nil`: not
    /// known.
    case progress(id: UInt64, done: Int64, total: Int64?)
}
