import ServerBase
import ServerHTTP

/// All addresses of the REST interface, by topic. The first route that fits a request takes it, so words stand before
/// names; the last routes of a topic refuse requests for which it has no action.
enum RouteTable {
    static let all = files + users + channels + messages + application

    static let files = [
        Route("GET HEAD", "files/:key/**", query: "auth", FileRoutes.download)
    ]

    /// By their first word and by their topic, since between these two there is mostly a name; under "" those without
    /// one. Channels have seventy routes, and pages of messages are asked for often. Files are not below the version.
    private static let below = Dictionary(grouping: users + channels + messages + application, by: \.firstWord)
        .mapValues { routes in
            var topics = ["": routes.filter { $0.topic == nil }]
            for topic in Set(routes.compactMap(\.topic)) {
                topics[topic] = routes.filter { $0.topic == nil || $0.topic == topic }
            }
            return topics
        }

    static func find(_ request: HTTPRequest) throws -> RoutedRequest {
        var path = request.target.segments[...]
        var routes = files
        if path.first != "files" {
            guard path.first == "v3", path.count > 1 else {
                throw Refusal(400_404, "There is no such address.", status: 404)
            }
            path = path.dropFirst()
            // Clients have addresses of their own for channels, which mean the same.
            if path.first == "sdk", path.dropFirst().first == "group_channels" { path = path.dropFirst() }
            let topics = path.first.flatMap { below[$0] } ?? [:]
            routes = path.dropFirst(2).first.flatMap { topics[$0] } ?? topics[""] ?? []
        }
        for route in routes {
            if let values = route.match(request.method, path) { return RoutedRequest(request, route, values) }
        }
        throw Refusal.noEndpoint()
    }
}

extension Keys {
    static let page: Keys = "limit token"
    /// The keys of a request for a changelog.
    static let changes: Keys = "token change_ts limit"
}
