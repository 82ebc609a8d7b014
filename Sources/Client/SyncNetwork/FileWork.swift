/// What a file's own thread does for an exchange.
protocol FileWork: AnyObject, Sendable {
    /// Starts the thread; `false` when the system gives none.
    func start() -> Bool
    /// How far it is.
    var outcome: FileState { get }
    /// The exchange has ended. `discarding`: nobody will go on with what was received.
    func end(discarding: Bool)
}

public enum FileState: Sendable {
    case opening
    /// The exchange may begin, with what is there already of what it receives.
    case ready(ReceivedPart?)
    /// What was received has its name.
    case complete
    case failed(NetworkFailure)
    case ended
}
