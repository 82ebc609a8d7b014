/// What the server makes of a request.
enum HTTPAnswer {
    case response(HTTPResponse)
    case delayed(HTTPResponse, milliseconds: Int64)
    /// Switch to a WebSocket: the accept value and the extra headers belong to the 101 answer, `opened` takes the link
    /// once that is out.
    case upgrade(accept: String, headers: [(String, String)], opened: (any SocketLink) -> Void)
}
