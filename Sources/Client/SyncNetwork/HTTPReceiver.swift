/// Who gets the answer to an HTTP request.
enum HTTPReceiver {
    /// All of it, when it is complete.
    case whole(HTTPCompletion)
    /// Piece by piece, as it comes.
    case pieces(HTTPStreamHandler)

    var isStream: Bool { if case .pieces = self { true } else { false } }

    func fail(_ failure: NetworkFailure) {
        switch self {
        case .whole(let completion): completion(.failure(failure))
        case .pieces(let handler): handler(.ended(failure))
        }
    }
}
