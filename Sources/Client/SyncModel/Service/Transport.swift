/// Carries bytes between its owners and the network: HTTP requests, streams and WebSockets, nothing of chat.
///
/// It keeps no promise beyond this: for every request exactly one `TransportInput.response` or `.requestFailed` with
/// its id, for every socket at most one `.socketOpened`, texts in order, and one `.socketClosed` at last, for every
/// stream either `.streamRefused` or at most one `.streamOpened`, bytes in order, and one `.streamEnded` at last. A
/// request, socket or stream that our side has ended gives no further input.
public protocol Transport: AnyObject {
    func carryOut(_ command: TransportCommand, of owner: TransportOwner)
}

/// What an owner wants of the transport, by its own numbers.
public enum TransportCommand: Equatable, Sendable {
    case send(TransportRequest, id: UInt64)
    /// Nobody waits for the answer any more: the request ends, at whatever stage it is.
    case cancel(UInt64)
    /// The same, and what has come of a file is not kept.
    case discard(UInt64)
    case openSocket(UInt64, url: String, headers: [TransportHeader])
    case sendText([UInt8], socket: UInt64)
    case closeSocket(UInt64)
    /// A request whose answer's body is told piece by piece. Its timeout is for the beginning of the answer.
    case openStream(UInt64, TransportRequest)
    case closeStream(UInt64)

    /// Whether it only ends something.
    public var isEnd: Bool {
        switch self {
        case .cancel, .discard, .closeSocket, .closeStream: true
        case .send, .openSocket, .sendText, .openStream: false
        }
    }
}

/// A field of an HTTP request or answer.
public struct TransportHeader: Equatable, Sendable {
    public var name: String
    public var value: String

    /// Control characters are left out of the value: a token or key with a line break in it must not become a header of
    /// its own.
    public init(_ name: String, _ value: String) {
        self.name = name
        let printable = value.unicodeScalars.filter { !TransportHeader.isControl($0) }
        self.value = String(String.UnicodeScalarView(printable))
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool { scalar.value < 0x20 || scalar.value == 0x7F }

    /// Whether nothing would be left out of a value.
    public static func takes(_ value: String) -> Bool { !value.unicodeScalars.contains(where: isControl) }
}

public struct TransportRequest: Equatable, Sendable {
    public var method: String
    public var url: String
    public var headers: [TransportHeader]
    public var body: [UInt8]?
    /// Milliseconds for the whole exchange.
    public var timeout: Int64
    /// A file as the body of the request or of the answer.
    public var file: TransportFile?

    /// The largest answer that is taken, in bytes of its (unpacked) body; of a stream, the largest event.
    public static let answerLimit = 64 << 20
    /// The same of all answers together that are under way or wait to be taken.
    public static let answersLimit = 128 << 20

    public init(
        method: String, url: String, headers: [TransportHeader], body: [UInt8]?, timeout: Int64,
        file: TransportFile? = nil
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.timeout = timeout
        self.file = file
    }
}
