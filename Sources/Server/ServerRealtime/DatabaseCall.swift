import ServerBase
import ServerHTTP
import SyncBytes
import SyncJSON
import SyncTree

/// A request to the database taken apart: what is asked of which place, and how the answer is to look.
struct DatabaseCall {
    enum Method: String {
        case get = "GET"
        case put = "PUT"
        case post = "POST"
        case patch = "PATCH"
        case delete = "DELETE"
    }

    enum Target {
        case data(TreePath)
        case rules
    }

    enum Print: String {
        case compact = ""
        case pretty
        case silent
    }

    let method: Method
    let target: Target
    /// The instance's name.
    let name: String
    let body: [UInt8]
    let query: TreeQuery?
    let isShallow: Bool
    let format: TreeNode.Format
    let print: Print
    let callback: String?
    let download: String?
    let wantsETag: Bool
    let ifMatch: String?
    let ifNoneMatch: String?
    let wantsStream: Bool

    init(_ request: HTTPRequest) throws {
        let query = request.query
        name = try DatabaseCall.instanceName(request)
        target = try DatabaseCall.target(request.target.segments)
        method = try DatabaseCall.method(request)
        body = request.body
        isShallow = try DatabaseCall.flag(query, "shallow")
        switch query.text("format") {
        case "", "strict": format = .plain
        case "export": format = .export
        default: throw DatabaseRefusal.parameter("format", "\"export\" is expected")
        }
        guard let print = Print(rawValue: query.text("print")) else {
            throw DatabaseRefusal.parameter("print", "\"pretty\" or \"silent\" is expected")
        }
        self.print = print
        callback = try DatabaseCall.callback(query)
        download = try DatabaseCall.download(query)
        wantsETag = request.header("X-Firebase-ETag").map { $0.lowercased() == "true" } ?? false
        ifMatch = request.header("if-match")
        ifNoneMatch = request.header("if-none-match")
        let accepted = (request.header("Accept") ?? "").lowercased()
        wantsStream = method == .get && accepted.contains(text: "text/event-stream")
        self.query = try QueryParameters(query).query
        try check(query)
    }

    private func check(_ parameters: RequestQuery) throws {
        if isShallow, query != nil {
            throw DatabaseRefusal(400, "Mixing 'shallow' and querying parameters is not supported")
        }
        if wantsStream, isShallow || callback != nil || print != .compact {
            throw DatabaseRefusal(400, "shallow, callback and print do not go with an event stream")
        }
        if query != nil, method != .get { throw DatabaseRefusal(400, "Querying parameters go with GET only") }
        if query != nil, wantsETag || ifNoneMatch != nil {
            throw DatabaseRefusal(400, "ETags go with whole locations, not with querying parameters")
        }
        if ifMatch != nil, method != .put, method != .delete {
            throw DatabaseRefusal(400, "if-match goes with PUT and DELETE only")
        }
        // These two are only checked, so that wrong ones are refused: no call takes so long that they would matter.
        guard ["", "tiny", "small", "medium", "large", "unlimited"].contains(parameters.text("writeSizeLimit")) else {
            throw DatabaseRefusal.parameter("writeSizeLimit", "tiny, small, medium, large or unlimited is expected")
        }
        let timeout = parameters.text("timeout")
        guard timeout.isEmpty || DatabaseCall.isDuration(timeout) else {
            throw DatabaseRefusal.parameter("timeout", "a number with ms, s or min is expected, up to 15min")
        }
    }

    // MARK: Parts

    /// `ns=`, else the first name of a host that has several, else "default".
    private static func instanceName(_ request: HTTPRequest) throws -> String {
        var name = request.query.text("ns")
        if name.isEmpty {
            let host = (request.header("Host") ?? "").prefix { $0 != ":" }.split(separator: ".")
            let isAddress = host.allSatisfy { $0.utf8.allSatisfy { $0 &- UInt8(ascii: "0") < 10 } }
            name = host.count > 1 && !isAddress ? String(host[0]) : "default"
        }
        let isKnown = name.utf8.count <= 100 && name.utf8.allSatisfy { $0.isWord || $0 == UInt8(ascii: "-") }
        guard isKnown else {
            throw DatabaseRefusal(404, "There is no database of that name: letters, digits, - and _ make one")
        }
        return name
    }

    private static func target(_ segments: [String]) throws -> Target {
        guard let last = segments.last, last.endsWithBytes(of: ".json") else {
            throw DatabaseRefusal(404, "append .json to your request URI to use the REST API.")
        }
        var names = segments
        names[names.count - 1] = last.droppingBytes(last: ".json".utf8.count)
        if names.last == "" { names.removeLast() }
        if names == [".settings", "rules"] { return .rules }
        guard names.count <= TreePath.depthLimit else { throw DatabaseRefusal(TreeError(.depth)) }
        return .data(
            TreePath(
                try names.map { name in
                    guard let key = TreeKey(name) else { throw DatabaseRefusal(TreeError(.path)) }
                    return key
                }))
    }

    private static func method(_ request: HTTPRequest) throws -> Method {
        var word = request.method
        if word == "POST" {
            let parameter = request.query.text("x-http-method-override")
            word = request.header("X-HTTP-Method-Override") ?? (parameter.isEmpty ? word : parameter)
        }
        // The front leaves out the body of the answer.
        if word == "HEAD" { return .get }
        guard let method = Method(rawValue: word.uppercased()) else {
            throw DatabaseRefusal(405, "GET, PUT, POST, PATCH or DELETE is expected")
        }
        return method
    }

    private static func flag(_ query: RequestQuery, _ name: String) throws -> Bool {
        switch query.text(name) {
        case "true": return true
        case "", "false": return false
        default: throw DatabaseRefusal.parameter(name, "true or false is expected")
        }
    }

    /// A name of a function in JavaScript: nothing else may become part of a script.
    private static func callback(_ query: RequestQuery) throws -> String? {
        let name = query.text("callback")
        guard !name.isEmpty else { return nil }
        let isName = name.utf8.count <= 200 && name.utf8.allSatisfy { byte in
            byte.isWord || byte == UInt8(ascii: "$") || byte == UInt8(ascii: ".")
        }
        guard isName else { throw DatabaseRefusal.parameter("callback", "the name of a function is expected") }
        return name
    }

    /// The name of a file, which goes into a header.
    private static func download(_ query: RequestQuery) throws -> String? {
        let name = query.text("download")
        guard !name.isEmpty else { return nil }
        guard name.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") })
        else {
            throw DatabaseRefusal.parameter("download", "a plain name of a file is expected")
        }
        return name
    }

    private static func isDuration(_ text: String) -> Bool {
        let digits = text.prefix { $0 >= "0" && $0 <= "9" }
        guard let number = Int(digits), number <= 900_000 else { return false }
        switch text.dropFirst(digits.count) {
        case "ms": return true
        case "s": return number <= 900
        case "min": return number <= 15
        default: return false
        }
    }
}
