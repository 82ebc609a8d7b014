/// What a file's own thread does for an exchange.
protocol FileWork: AnyObject, Sendable {
    /// Starts the thread; `false` when the system gives none.
    func start() -> Bool
    /// How far it is.
    var outcome: FileState { get }
    /// The exchange has ended. `discarding`: nobody will go on with what was received.
    func end(discarding: Bool)
}

enum FileState: Sendable {
    case opening
    /// The exchange may begin. So many bytes of what it receives are there already.
    case ready(offset: Int64)
    /// What was received has its name.
    case complete
    case failed(NetworkFailure)
    case ended
}
