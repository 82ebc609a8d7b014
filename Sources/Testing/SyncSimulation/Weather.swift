/// How bad the network and the service are, in percent of requests, frames and connections.
public struct Weather: Sendable, Equatable {
    /// Requests that never arrive.
    public var lost: Int64 = 0
    /// Answers that never arrive; what was asked for is done.
    public var answerLost: Int64 = 0
    /// Connections that break, before or after the request was carried out.
    public var reset: Int64 = 0
    /// Answers of which half comes.
    public var half: Int64 = 0
    /// Requests that are answered with 429.
    public var rateLimited: Int64 = 0
    /// Requests that are answered with 5xx.
    public var broken: Int64 = 0
    /// Answers that are no JSON.
    public var garbage: Int64 = 0
    /// Sockets that cannot be opened.
    public var refused: Int64 = 0
    /// Requests and frames that take up to three seconds.
    public var slow: Int64 = 0
    /// Page tokens that are too old.
    public var tokenExpired: Int64 = 0
    /// Of requests that change something in a channel.
    public var refusedChange: Int64 = 0

    public static let fair = Weather()
    public static let usual = Weather(
        lost: 3, answerLost: 2, reset: 2, half: 1, rateLimited: 1, broken: 2, garbage: 1, refused: 20, slow: 4,
        tokenExpired: 3, refusedChange: 4)
    public static let bad = Weather(
        lost: 12, answerLost: 8, reset: 8, half: 4, rateLimited: 4, broken: 6, garbage: 3, refused: 50, slow: 15,
        tokenExpired: 6, refusedChange: 10)
}
