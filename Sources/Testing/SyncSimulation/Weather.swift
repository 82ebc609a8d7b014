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

    public init() {}

    public static let fair = Weather()
    public static var usual: Weather {
        var weather = Weather()
        (weather.lost, weather.answerLost, weather.reset, weather.half) = (3, 2, 2, 1)
        (weather.rateLimited, weather.broken, weather.garbage, weather.refused) = (1, 2, 1, 20)
        (weather.slow, weather.tokenExpired, weather.refusedChange) = (4, 3, 4)
        return weather
    }
    public static var bad: Weather {
        var weather = Weather()
        (weather.lost, weather.answerLost, weather.reset, weather.half) = (12, 8, 8, 4)
        (weather.rateLimited, weather.broken, weather.garbage, weather.refused) = (4, 6, 3, 50)
        (weather.slow, weather.tokenExpired, weather.refusedChange) = (15, 6, 10)
        return weather
    }
}
