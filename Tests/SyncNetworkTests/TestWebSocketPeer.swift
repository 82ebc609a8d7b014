import Foundation
import SyncWebSocket

/// The server's side of a WebSocket on a test connection.
final class TestWebSocketPeer {
    let connection: TestConnection
    let codec: WebSocketCodec
    private var events: [WebSocketCodec.Event] = []

    private init(_ connection: TestConnection, _ codec: WebSocketCodec) {
        self.connection = connection
        self.codec = codec
    }

    /// Reads the handshake and accepts it; `glued` goes out in the same write.
    static func accept(_ connection: TestConnection, glued: [UInt8] = []) -> TestWebSocketPeer? {
        guard let request = connection.readRequest(), let key = request.header("sec-websocket-key"),
            let head = WebSocketHandshake.response(forKey: key),
            let codec = WebSocketCodec(role: .server, messageLimit: 64 << 20, outputLimit: 256 << 20)
        else { return nil }
        connection.write(head + glued)
        return TestWebSocketPeer(connection, codec)
    }

    /// The next event; `nil` at the end of the connection. Answers (pongs, close frames) are written at once.
    func next() -> WebSocketCodec.Event? {
        while events.isEmpty {
            let bytes = connection.read()
            guard !bytes.isEmpty else { return nil }
            events = codec.receive(bytes)
            flush()
        }
        return events.removeFirst()
    }

    func send(_ text: String) {
        codec.sendText(Array(text.utf8))
        flush()
    }

    func flush() {
        codec.withPendingOutput { bytes in connection.write(Array(bytes)) ? bytes.count : 0 }
    }

    /// Sends back each text until the connection ends.
    func echo() {
        while let event = next() {
            if case .text(let text) = event {
                codec.sendText(text)
                flush()
            }
            if case .close = event { return }
        }
    }
}
