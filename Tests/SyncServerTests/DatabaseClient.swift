import SyncJSON
import SyncServer
import SyncTree
import XCTest

/// Requests to the database of a server within the process, in the name of its administration.
struct DatabaseClient {
    let server: InProcessServer
    var parameters = "ns=test&auth=owner"

    struct Reply {
        let status: Int
        let text: String
        let headers: [String: String]
    }

    /// Sends a request to a path like "a/b"; the query may follow it.
    @discardableResult
    func call(_ method: String, _ path: String, _ body: String = "", headers: [(String, String)] = []) -> Reply {
        let response = server.answerDatabase(method, target(path), headers: headers, body: Array(body.utf8)).response
        var all: [String: String] = [:]
        for (name, value) in response.allHeaders { all[name] = value }
        return Reply(status: response.status, text: String(decoding: response.body, as: UTF8.self), headers: all)
    }

    func get(_ path: String) -> String { call("GET", path).text }

    func put(_ path: String, _ body: String) { XCTAssertEqual(call("PUT", path, body).status, 200, path + " " + body) }

    func setRules(_ rules: String) {
        let body = #"{"rules":\#(rules)}"#
        let response = server.answerDatabase(
            "PUT", "/.settings/rules.json?ns=test&auth=owner", body: Array(body.utf8)
        ).response
        XCTAssertEqual(response.status, 200, String(decoding: response.body, as: UTF8.self))
    }

    func listen(_ path: String) throws -> DatabaseListener {
        switch server.openStream(target(path)) {
        case .opened(let stream): return DatabaseListener(stream)
        case .refused(let response): throw Refusal(status: response.status)
        }
    }

    struct Refusal: Error {
        let status: Int
    }

    private func target(_ path: String) -> String {
        let parts = path.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let query = parts.count > 1 ? "&" + parts[1] : ""
        return "/\(parts[0]).json?\(parameters)\(query)"
    }
}
