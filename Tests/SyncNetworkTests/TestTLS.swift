import Foundation
import XCTest

/// TLS in front of a test server: a private authority, a certificate for `localhost` only, and a process that takes
/// TLS off and passes the bytes on.
final class TestTLS {
    let caFile: String
    let port: UInt16
    private let directory: URL
    private let process: Process
    private let lines = Collected<String>()

    /// `protocols` is what the server accepts by ALPN, in its order of preference.
    init(target: UInt16, protocols: [String] = ["http/1.1"]) throws {
        directory = FileManager.default.temporaryDirectory.appendingPathComponent("sm-tls-" + UUID().uuidString)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        caFile = directory.appendingPathComponent("ca.pem").path
        try TestTLS.makeCertificates(in: directory)

        let script = directory.appendingPathComponent("front.py")
        try TestTLS.front.write(to: script, atomically: true, encoding: .utf8)
        process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", script.path, directory.path, String(target)] + protocols
        let (input, output) = (Pipe(), Pipe())
        // The front ends when this pipe does, so it cannot outlive the test.
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        let lines = lines
        let reader = output.fileHandleForReading
        Thread.detachNewThread {
            var text = ""
            while case let data = reader.availableData, !data.isEmpty {
                text += String(decoding: data, as: UTF8.self)
                while let end = text.firstIndex(of: "\n") {
                    lines.append(String(text[..<end]))
                    text = String(text[text.index(after: end)...])
                }
            }
        }
        port = try XCTUnwrap(lines.wait(count: 1).first.flatMap { UInt16($0) }, "the TLS front did not start")
    }

    /// What ALPN agreed on, connection by connection; `-` for nothing.
    func agreed(count: Int) -> [String] { Array(lines.wait(count: count + 1).dropFirst()) }

    func stop() {
        process.terminate()
        process.waitUntilExit()
        try? FileManager.default.removeItem(at: directory)
    }

    private static func makeCertificates(in directory: URL) throws {
        let steps = [
            "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=test-authority -keyout ca.key -out ca.pem",
            "req -newkey rsa:2048 -nodes -subj /CN=localhost -keyout server.key -out server.csr",
            "x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile san -out server.pem",
        ]
        try "subjectAltName=DNS:localhost".write(
            to: directory.appendingPathComponent("san"), atomically: true, encoding: .utf8)
        for step in steps {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = ["openssl"] + step.components(separatedBy: " ")
            process.currentDirectoryURL = directory
            process.standardError = FileHandle.nullDevice
            process.standardOutput = FileHandle.nullDevice
            try process.run()
            process.waitUntilExit()
            guard process.terminationStatus == 0 else { throw POSIXError(.EIO) }
        }
    }

    private static let front = """
        import os, socket, ssl, sys, threading

        directory, target, protocols = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(directory + "/server.pem", directory + "/server.key")
        context.set_alpn_protocols(protocols)
        listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        print(listener.getsockname()[1], flush=True)


        def pump(client):
            try:
                client = context.wrap_socket(client, server_side=True)
            except (OSError, ssl.SSLError):
                return
            print(client.selected_alpn_protocol() or "-", flush=True)
            server = socket.create_connection(("127.0.0.1", target))
            # One thread for both ways, since an SSL object must not be read and written at once.
            client.setblocking(False)
            server.setblocking(False)
            import select
            out = {client: b"", server: b""}
            other = {client: server, server: client}
            ended = set()
            try:
                while True:
                    readers = [s for s in (client, server) if s not in ended and len(out[other[s]]) < 1 << 20]
                    writers = [s for s in (client, server) if out[s]]
                    if not readers and not writers:
                        return
                    ready, writable, _ = select.select(readers, writers, [], 30)
                    for source in ready:
                        while True:
                            try:
                                data = source.recv(65536)
                            except (ssl.SSLWantReadError, ssl.SSLWantWriteError, BlockingIOError):
                                break
                            if not data:
                                ended.add(source)
                                break
                            out[other[source]] += data
                            if source is server or not client.pending():
                                break
                    for sink in (client, server):
                        if out[sink]:
                            try:
                                out[sink] = out[sink][sink.send(out[sink]):]
                            except (ssl.SSLWantReadError, ssl.SSLWantWriteError, BlockingIOError):
                                pass
                    if ended and not any(out.values()):
                        return
            except OSError:
                pass
            finally:
                client.close()
                server.close()


        def accept():
            while True:
                connection, _ = listener.accept()
                threading.Thread(target=pump, args=(connection,), daemon=True).start()


        threading.Thread(target=accept, daemon=True).start()
        sys.stdin.read()
        os._exit(0)

        """
}
