import SyncModel

extension Status {
    /// The status of a call that failed because of the service or the network.
    init(_ failure: ServiceFailure) {
        self =
            switch failure.kind {
            case .notFound: .notFound
            case .timedOut: .timeout
            case .unreachable: .network
            case .tokenRejected: .tokenRejected
            case .tooLarge, .crowded: .tooLarge
            case .file(.unwritable): .storage
            case .file: .invalidArgument
            case .unavailable, .rateLimited, .pageTokenExpired, .exists, .refused: .service
            }
    }
}
