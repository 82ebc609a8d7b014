/// What a file's own thread does for an exchange.
protocol FileWork: AnyObject, Sendable {
    /// Starts the thread; `false` when the system gives none.
    func start() -> Bool
    /// The state of the work.
    var outcome: FileState { get }
    /// The exchange has ended. `discarding`: no later exchange will go on with what was received.
    func end(discarding: Bool)
}

public enum FileState: Sendable {
    case opening
    /// The exchange may begin; if it receives a file, with the part that an earlier exchange has left.
    case ready(ReceivedPart?)
    /// The received file has its final name.
    case complete
    case failed(NetworkFailure)
    case ended
}
