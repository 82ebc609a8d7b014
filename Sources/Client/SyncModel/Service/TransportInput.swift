/// Who uses the transport. Each numbers its requests, sockets and streams by itself, and never twice the same.
public enum TransportOwner: Hashable, Sendable { case service, database }

/// What the network brought, by the numbers of the owner that asked.
public enum TransportInput: Sendable {
    case response(id: UInt64, TransportResponse)
    case requestFailed(id: UInt64, TransportFailure)
    /// How many bytes of a request's file have been sent or received, and how many it has; `nil`: not known. At most
    /// ten times a second.
    case progress(id: UInt64, done: Int64, total: Int64?)
    case socketOpened(UInt64)
    case socketText(UInt64, [UInt8])
    case socketClosed(UInt64, TransportFailure)
    /// The answer has begun, with status 200.
    case streamOpened(UInt64)
    case streamBytes(UInt64, [UInt8])
    /// The answer has another status; this is all that comes of it.
    case streamRefused(UInt64, TransportResponse)
    /// The answer is complete (`nil`), or broke off.
    case streamEnded(UInt64, TransportFailure?)
}

public struct TransportResponse: Sendable {
    public var status: Int
    public var headers: [TransportHeader]
    public var body: [UInt8]

    public init(status: Int, headers: [TransportHeader], body: [UInt8]) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

/// Why no answer came, or why a socket ended.
public struct TransportFailure: Error, Equatable, Sendable {
    public enum Kind: Sendable {
        case timedOut
        /// The peer refused the socket; `status` is the HTTP status it answered with.
        case refused(status: Int)
        /// The library that connects is missing on this machine; trying again does not help before it is installed.
        case notInstalled
        /// The answer is larger than the limit. Asking again gives the same one.
        case tooLarge
        /// All answers under way together leave no room for this one. A later attempt may find room.
        case crowded
        /// The peer ended the socket because a text of ours is larger than it takes. The same text would end the next
        /// socket, too.
        case textTooLarge
        /// A file on this machine cannot be sent or received.
        case file(FileProblem)
        case failed
    }

    public var kind: Kind
    /// One line for a log or a developer.
    public var message: String

    public init(kind: Kind, message: String) {
        self.kind = kind
        self.message = message
    }
}

extension TransportFailure.Kind: Equatable {}
