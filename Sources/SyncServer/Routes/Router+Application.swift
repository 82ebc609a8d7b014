import SyncJSON

extension Router {
    /// What clients ask of the application as a whole.
    func application(_ request: HTTPRequest, _ first: String, _ rest: [String]) throws -> HTTPResponse {
        switch (request.method, first, rest) {
        case ("GET", "sdk", ["applications", "settings"]):
            _ = try caller(request)
            return HTTPResponse(.object(["configs": .object(), "has_more": false, "next": "", "ts": .int(chat.now)]))
        case ("POST", "sdk", ["statistics"]):
            _ = try caller(request)
            return .empty
        case ("GET", "emoji_categories", []):
            _ = try caller(request)
            return HTTPResponse(.object(["emoji_hash": "0", "emoji_categories": .array()]))
        default: throw APIError.noEndpoint()
        }
    }
}
