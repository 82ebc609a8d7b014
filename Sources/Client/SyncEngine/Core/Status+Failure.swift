import SyncModel

extension Status {
    /// What a call completes with that the service or the network failed.
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
