import SyncBytes
import SyncJSON
import SyncModel

/// How the service is reached: its address, the token, and whether there is a network. It makes requests, and says what
/// their answers mean.
struct DatabaseAccess {
    /// What an answer of the service means.
    enum Verdict {
        case done
        /// The request is to be made again at another host.
        case redirected
        case tokenRejected
        /// Asking again gives the same answer.
        case refused(DatabaseFailure)
        /// Asking again later may help.
        case ill
    }

    private enum Token {
        case none
        case some(String)
        /// The host was asked for another token.
        case needed
    }

    private static let redirectLimit = 5

    private let options: DatabaseOptions
    private var token: Token
    /// Without a network nothing is sent.
    var isOnline = true
    /// Scheme and host of requests: those of the options, or of a redirection.
    private var base: String
    private var redirects = 0

    init(_ options: DatabaseOptions, token: String?) {
        self.options = options
        self.token = token.map { .some($0) } ?? .none
        base = options.url
    }

    // MARK: Whether something may be asked

    /// Whether requests may be sent now.
    var mayAsk: Bool {
        if case .needed = token { return false }
        return isOnline
    }

    /// Why nothing may be asked.
    var obstacle: DatabaseFailure { isOnline ? .noToken : .offline }

    /// Another token from now on; `nil` for none.
    mutating func setToken(_ token: String?) { self.token = token.map { .some($0) } ?? .none }

    /// Sends nothing until there is another token. `false` when the host has been asked for one already.
    mutating func needToken() -> Bool {
        if case .needed = token { return false }
        token = .needed
        return true
    }

    // MARK: Requests

    func request(
        _ method: String, _ location: DatabaseLocation, accept: String = "application/json", body: [UInt8]? = nil,
        isShallow: Bool = false
    ) -> TransportRequest {
        let path = location.path.keys.map { "/" + PercentEncoding.escape($0.text) }.joined()
        var query: [String] = []
        if !options.name.isEmpty { query.append("ns=" + PercentEncoding.escape(options.name)) }
        if let parameters = location.query?.parameters { query.append(parameters) }
        if isShallow { query.append("shallow=true") }
        if case .some(let token) = token { query.append("auth=" + PercentEncoding.escape(token)) }
        let parameters = query.isEmpty ? "" : "?" + query.joined(separator: "&")
        let url = base + (path.isEmpty ? "/" : path) + ".json" + parameters
        var headers = [TransportHeader("Accept", accept)]
        if body != nil { headers.append(TransportHeader("Content-Type", "application/json; charset=utf-8")) }
        return TransportRequest(method: method, url: url, headers: headers, body: body, timeout: options.timeout)
    }

    /// Reads a value together with its ETag.
    func taggedRead(_ location: DatabaseLocation) -> TransportRequest {
        var asked = request("GET", location)
        asked.headers.append(TransportHeader("X-Firebase-ETag", "true"))
        return asked
    }

    /// Writes a value if the one that is there still has this ETag.
    func conditionalWrite(_ location: DatabaseLocation, _ body: [UInt8], ifMatch tag: String) -> TransportRequest {
        var sent = request("PUT", location, body: body)
        sent.headers.append(TransportHeader("if-match", tag))
        return sent
    }

    // MARK: Answers

    mutating func judge(_ response: TransportResponse) -> Verdict {
        switch response.status {
        case 200..<300: return .done
        case 301, 302, 307, 308: return follow(response) ? .redirected : .ill
        case 408, 429, 500...: return .ill
        default:
            let text = (try? JSON.parse(response.body))?["error"]?.string ?? ""
            // Refused by the rules or for the token, an answer has the same status; only its text says which.
            if response.status == 401, text != "Permission denied" { return .tokenRejected }
            return .refused(
                DatabaseFailure(
                    status: response.status, message: text.isEmpty ? "HTTP status \(response.status)" : text))
        }
    }

    /// How long the service asks to wait after an error, in the form that the gate takes.
    static func retryAfter(_ response: TransportResponse?) -> ServiceFailure? {
        guard let response, let text = response.header("retry-after"), let seconds = Int64(text),
            (0...86_400).contains(seconds)
        else { return nil }
        return ServiceFailure(
            kind: .rateLimited(retryAfter: seconds * 1000), code: response.status, message: "asked to wait")
    }

    /// A host that was found by redirections has answered: others may follow.
    mutating func reached() { redirects = 0 }

    /// Goes back to the first address after a failure, since the host of a redirection may be the cause.
    mutating func returnToStart() {
        base = options.url
        redirects = 0
    }

    /// Follows a redirection to another host; `false` when it leads nowhere, in a circle, or off encryption.
    private mutating func follow(_ response: TransportResponse) -> Bool {
        let location = response.header("location") ?? ""
        guard redirects < DatabaseAccess.redirectLimit, let scheme = DatabaseAccess.scheme(location),
            scheme == "https://" || options.url.hasPrefix("http://")
        else {
            returnToStart()
            return false
        }
        let host = location.dropFirst(scheme.count).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        guard !host.isEmpty, !host.contains("@") else { return false }
        redirects += 1
        base = scheme + host
        return true
    }

    private static func scheme(_ url: String) -> String? {
        ["https://", "http://"].first { url.lowercased().hasPrefix($0) }
    }
}

extension TransportResponse {
    /// The first header of this name, which is given in lower case.
    fileprivate func header(_ name: String) -> String? { headers.first { $0.name.lowercased() == name }?.value }

    /// The ETag of the value in the answer; empty when there is none.
    var entityTag: String { header("etag") ?? "" }
}
