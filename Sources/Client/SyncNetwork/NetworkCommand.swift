/// The commands of other threads to the network thread.
enum NetworkCommand: Sendable {
    case send(UInt64, HTTPRequest, Intake, HTTPReceiver)
    /// `discarding`: the file that was being received, when its part is to be removed.
    case cancel(UInt64, discarding: HTTPTarget?)
    /// The file of an exchange has been opened, read on, or written on.
    case goOn(UInt64)
    case open(UInt64, WebSocketOptions, Intake, SocketHandler)
    case text(UInt64, [UInt8])
    case close(UInt64, code: UInt16, reason: [UInt8])
    /// An owner's intake was opened again.
    case readOn(Intake)

    /// Answers a command that no thread will carry out: every request, stream and socket gets its one final event.
    func refuse(_ failure: NetworkFailure) {
        switch self {
        case .send(_, _, _, let receiver): receiver.fail(failure)
        case .open(_, _, _, let handler): handler(.closed(failure))
        case .cancel, .goOn, .text, .close, .readOn: break
        }
    }
}

typealias HTTPCompletion = @Sendable (Result<HTTPResponse, NetworkFailure>) -> Void
typealias HTTPStreamHandler = @Sendable (HTTPStreamEvent) -> Void
typealias SocketHandler = @Sendable (SocketEvent) -> Void
