import ServerBase

/// What the server makes of a request.
public enum HTTPAnswer {
    case response(HTTPResponse)
    /// The request has been handled already; its answer goes out after this time.
    indirect case delayed(HTTPAnswer, milliseconds: Int64)
    /// An answer whose body comes piece by piece: status and headers are the response's, `opened` takes the link.
    case stream(HTTPResponse, opened: (any EventLink) -> Void)
    /// Switch to a WebSocket: the accept value and the extra headers belong to the 101 answer, `opened` takes the link
    /// once that is out.
    case upgrade(accept: String, headers: [(String, String)], opened: (any SocketLink) -> Void)
}
