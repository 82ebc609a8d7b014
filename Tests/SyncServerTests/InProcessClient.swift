import SyncJSON
import SyncServer
import XCTest

/// A user's device on the server within the process: REST with a session key, one socket, and what it has heard.
final class InProcessClient {
    /// A command that came by the socket.
    struct Command {
        let name: String
        let body: JSON
        /// As it came, with its line feed.
        let bytes: [UInt8]
    }

    let userID: String
    let socket: InProcessSocket
    let login: Command
    /// The session key that the login gave.
    let key: String

    private let server: InProcessServer

    /// Logs in by socket; a refusal fails the test.
    init(_ server: InProcessServer, _ userID: String, token: String, _ extra: String = "") throws {
        self.server = server
        self.userID = userID
        socket = try Self.open(server, userID, token: token, extra)
        let frames = try Self.commands(socket)
        XCTAssertEqual(frames.map(\.name), ["LOGI"])
        login = try XCTUnwrap(frames.first)
        key = try XCTUnwrap(login.body["key"]?.string, login.body.text)
    }

    /// The socket of a handshake that may be refused at login.
    static func open(_ server: InProcessServer, _ userID: String, token: String, _ extra: String = "") throws
        -> InProcessSocket
    {
        let opening = server.openSocket(
            "/?p=test&ai=syncmanager&user_id=\(userID)\(extra)", headers: [("SENDBIRD-WS-TOKEN", token)])
        switch opening {
        case .opened(let socket): return socket
        case .refused(let response): throw Refusal(status: response.status)
        }
    }

    struct Refusal: Error {
        let status: Int
    }

    static func commands(_ socket: InProcessSocket) throws -> [Command] {
        try socket.takeFrames().map { bytes in
            XCTAssertEqual(bytes.last, 0x0A)
            return Command(
                name: String(decoding: bytes.prefix(4), as: UTF8.self),
                body: try JSON.parse(Array(bytes.dropFirst(4).dropLast())), bytes: bytes)
        }
    }

    /// What came since the last call.
    func heard() throws -> [Command] { try Self.commands(socket) }

    func send(_ command: String, _ body: JSON) { socket.receive(Array(command.utf8) + body.serialized()) }

    /// A request of this user; its status must be the expected one.
    @discardableResult
    func ask(_ method: String, _ path: String, _ body: JSON? = nil, status: Int = 200, line: UInt = #line) throws
        -> JSON
    {
        let reply = server.answer(method, path, headers: [("Session-Key", key)], body: body?.serialized() ?? [])
        let text = String(decoding: reply.response.body, as: UTF8.self)
        XCTAssertEqual(reply.response.status, status, text, line: line)
        return try JSON.parse(reply.response.body)
    }
}
