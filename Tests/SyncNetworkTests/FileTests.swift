import CLinux
import Foundation
import XCTest

@testable import SyncNetwork

/// Files that are sent and received, with a real disk and a server that does what the test says.
final class FileTests: NetworkTestCase {
    private var folder = ""

    override func setUpWithError() throws {
        try super.setUpWithError()
        folder = NSTemporaryDirectory() + "files-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let folder = folder
        atEnd { try? FileManager.default.removeItem(atPath: folder) }
    }

    private func write(_ bytes: [UInt8], as name: String = "in.bin") throws -> String {
        let path = folder + "/" + name
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        return path
    }

    /// They repeat after 64 KiB.
    private func bytes(_ count: Int) -> [UInt8] {
        let part = (0..<min(count, 65_536)).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        while bytes.count < count { bytes += part.prefix(count - bytes.count) }
        return bytes
    }

    func testAFileIsUnavailableWithoutADescriptor() throws {
        let path = try write([1])
        var limit = rlimit()
        XCTAssertEqual(getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit), 0)
        var none = rlimit(rlim_cur: 0, rlim_max: limit.rlim_max)
        XCTAssertEqual(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &none), 0)
        let looked = Result { () throws(DiskFile.Problem) in try DiskFile.look(at: path) }
        XCTAssertEqual(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit), 0)
        XCTAssertEqual(looked, .failure(.unavailable))
        XCTAssertEqual(try DiskFile.look(at: path).size, 1)
    }

    private func upload(_ path: String, to url: String, stamp: DiskFile.Stamp? = nil) throws -> HTTPRequest {
        var request = HTTPRequest(method: "POST", url: url, timeoutMS: 5000)
        request.file = .sent(HTTPForm(
            fields: [("channel_url", "c"), ("request_id", "r")], part: "file", fileName: "a \"b\".bin",
            type: "application/x-test", path: path, stamp: try stamp ?? DiskFile.look(at: path)))
        return request
    }

    private func download(_ url: String, to name: String, limit: Int64 = .max, replaces: Bool = false) -> HTTPRequest {
        var request = get(url)
        request.timeoutMS = 5000
        request.file = .received(HTTPTarget(
            path: folder + "/" + name, source: url, limit: limit, replaces: replaces))
        return request
    }

    private func content(_ name: String) -> [UInt8]? {
        FileManager.default.contents(atPath: folder + "/" + name).map { Array($0) }
    }

    private var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted() }

    /// What is left. The file's own thread ends after the exchange.
    private func expectNames(_ expected: [String], _ why: String = "", line: UInt = #line) {
        let deadline = Date().addingTimeInterval(20)
        while names != expected, Date() < deadline { sched_yield() }
        XCTAssertEqual(names, expected, why, line: line)
    }

    // MARK: Sending

    func testAFileIsSentAsAForm() throws {
        let requests = Collected<TestRequest>()
        let server = try serve { connection in
            while let request = connection.readRequest() {
                requests.append(request)
                connection.respond(text: "{}")
            }
        }
        // One block, several, and their edges.
        for count in [1, 65_535, 65_536, 65_537, 1 << 20, (3 << 20) + 7] {
            let data = bytes(count)
            let told = Collected<Int64>()
            var request = try upload(write(data), to: server.http)
            request.progress = { done, total in
                XCTAssertEqual(total, Int64(count))
                told.append(done)
            }
            XCTAssertEqual(try response(request).status, 200)
            let body = try XCTUnwrap(requests.all.last).body
            let head = Data(body).range(of: Data(data)).map { String(decoding: body[..<$0.lowerBound], as: UTF8.self) }
            let text = try XCTUnwrap(head, "\(count) bytes are not in the body")
            XCTAssertTrue(text.contains("name=\"channel_url\"\r\n\r\nc\r\n"), text)
            XCTAssertTrue(text.contains("filename=\"a %22b%22.bin\"") || text.contains("filename=\"a \\\"b\\\".bin\""))
            XCTAssertTrue(text.contains("Content-Type: application/x-test\r\n"), text)
            XCTAssertEqual(told.all.last, Int64(count))
            XCTAssertEqual(told.all, told.all.sorted())
        }
    }

    func testWhatIsNoFileIsNotSent() throws {
        let server = try serve { _ in }
        let stamp = DiskFile.Stamp(size: 3, modified: 0, inode: 1)
        let fifo = folder + "/fifo"
        XCTAssertEqual(mkfifo(fifo, 0o600), 0)
        let changed = try write(bytes(3), as: "changed")
        for (path, problem) in [
            (folder, DiskFile.Problem.notRegular), (fifo, .notRegular), ("/dev/null", .notRegular),
            (folder + "/none", .missing), (try write([], as: "empty"), .empty), (changed, .changed),
        ] {
            let failure = try failure(upload(path, to: server.http, stamp: stamp))
            XCTAssertEqual(failure.kind, .file)
            XCTAssertEqual(failure.code, problem.rawValue, path)
            XCTAssertTrue(failure.message.hasPrefix(path + ": "), failure.message)
            if problem != .changed { XCTAssertThrowsError(try DiskFile.look(at: path)) }
        }
        XCTAssertEqual(server.connectionCount, 0)
    }

    /// Shorter or longer: the bytes that were read are of no file that ever was.
    func testAFileThatChangesMeanwhileIsNotSent() throws {
        for grows in [false, true] {
            let path = try write(bytes(40 << 20), as: "large\(grows)")
            let server = try serve { connection in
                // The pipe is full long before the end of the file.
                guard !connection.read().isEmpty else { return }
                let file = FileHandle(forUpdatingAtPath: path)
                if grows { file?.seekToEndOfFile() } else { file?.truncateFile(atOffset: 1000) }
                if grows { file?.write(Data([1])) }
                file?.closeFile()
                while !connection.read().isEmpty {}
            }
            let failure = try failure(upload(path, to: server.http))
            XCTAssertEqual(failure.code, DiskFile.Problem.changed.rawValue, failure.message)
        }
    }

    /// The server ends the connection after each answer, and says so: a request that changes something is not begun
    /// again when its connection turns out to be closed.
    func testAFileIsSentOnANewConnection() throws {
        let bodies = Collected<[UInt8]>()
        let server = try serve { connection in
            guard let request = connection.readRequest() else { return }
            bodies.append(request.body)
            connection.respond(headers: "Connection: close\r\n", text: "{}")
        }
        let data = bytes(300_000)
        let path = try write(data)
        for _ in 0..<2 { XCTAssertEqual(try response(upload(path, to: server.http)).status, 200) }
        for body in bodies.all { XCTAssertNotNil(Data(body).range(of: Data(data))) }
        XCTAssertEqual(bodies.all.count, 2)
    }

    func testASendIsCanceled() throws {
        let began = Collected<Bool>()
        let server = try serve { connection in
            _ = connection.read()
            began.append(true)
            // Not `readRequest`, which takes the head of the form's part for a request of its own and returns.
            while !connection.read().isEmpty {}
        }
        let outcomes = Collected<Outcome>()
        let id = network.send(try upload(write(bytes(40 << 20)), to: server.http)) { outcomes.append($0) }
        began.wait(count: 1)
        network.cancel(id)
        guard case .failure(let failure)? = outcomes.wait(count: 1).first else { return XCTFail("not canceled") }
        XCTAssertEqual(failure.kind, .cancelled)
    }

    func testASendWithoutProgressFails() throws {
        let server = try serve { connection in
            _ = connection.read()
            while connection.readRequest() != nil {}
        }
        var request = try upload(write(bytes(100)), to: server.http)
        request.timeoutMS = 1000
        XCTAssertEqual(try failure(request).kind, .timedOut)
    }

    /// Progress is what the network takes, not what the system would keep for it: whoever takes a file slowly but all
    /// the time is not taken for one that takes nothing.
    func testProgressOfASendIsThatOfTheOtherSide() throws {
        let taken = Collected<Int>()
        let server = try serve { connection in
            var left = 2 << 20
            while left > 0 {
                // The pace of the other side is what this is about.
                usleep(5_000)
                let part = connection.read(most: 16 << 10)
                guard !part.isEmpty else { return }
                taken.append(part.count)
                left -= part.count
            }
            while connection.readRequest() != nil {}
        }
        let ahead = Collected<Int64>()
        var request = try upload(write(bytes(2 << 20)), to: server.http)
        request.timeoutMS = 1000
        request.progress = { done, _ in ahead.append(done - Int64(taken.all.reduce(0, +))) }
        // It is never answered.
        XCTAssertEqual(try failure(request).kind, .timedOut)
        XCTAssertGreaterThan(ahead.all.count, 3)
        XCTAssertLessThan(try XCTUnwrap(ahead.all.max()), 700 << 10)
    }

    // MARK: Receiving

    /// A server of one file, which it gives in parts when asked for them.
    private func serveFile(
        _ data: [UInt8], breaksAt broken: Int? = nil, ranges: Bool = true, tag: String? = "\"v1\""
    ) throws -> (server: TestServer, asked: Collected<String>) {
        let asked = Collected<String>()
        let server = try serve { connection in
            while let request = connection.readRequest() {
                let range = request.header("range")
                asked.append(range ?? "")
                let isOfThis = request.header("if-range") ?? tag == tag
                let first = ranges && isOfThis ? range.flatMap { Int($0.dropFirst(6).dropLast()) } ?? 0 : 0
                if first >= data.count {
                    connection.respond("416 No", headers: "Content-Range: bytes */\(data.count)\r\n", text: "no")
                    continue
                }
                let head = first > 0
                    ? "HTTP/1.1 206 Part\r\nContent-Range: bytes \(first)-\(data.count - 1)/\(data.count)\r\n"
                    : "HTTP/1.1 200 OK\r\n"
                let version = tag.map { "ETag: \($0)\r\n" } ?? ""
                connection.write("\(head)\(version)Content-Length: \(data.count - first)\r\n\r\n")
                if let broken, first < broken {
                    connection.write(Array(data[first..<broken]))
                    return
                }
                connection.write(Array(data[first...]))
            }
        }
        return (server, asked)
    }

    func testAFileIsReceived() throws {
        let data = bytes((5 << 20) + 3)
        let (server, _) = try serveFile(data)
        let told = Collected<Int64>()
        var request = download(server.http + "/a", to: "out.bin")
        request.progress = { done, total in
            XCTAssertEqual(total, Int64(data.count))
            told.append(done)
        }
        let answer = try response(request)
        XCTAssertEqual(answer.status, 200)
        XCTAssertEqual(answer.body, [])
        XCTAssertTrue(content("out.bin") == data)
        expectNames(["out.bin"])
        XCTAssertEqual(told.all.last, Int64(data.count))
        var status = stat()
        XCTAssertEqual(stat(folder + "/out.bin", &status), 0)
        XCTAssertEqual(status.st_mode & 0o777, 0o600)
    }

    /// What has come is not asked for again; also where the server knows no ranges the file is right.
    func testAReceiptGoesOn() throws {
        let data = bytes(3 << 20)
        for ranges in [true, false] {
            let name = "out\(ranges)"
            let (broken, _) = try serveFile(data, breaksAt: 2_000_000)
            var request = download(broken.http + "/a", to: name)
            request.file = .received(HTTPTarget(path: folder + "/" + name, source: "s"))
            XCTAssertEqual(try failure(request).kind, .closed)
            awaitPart(request)
            XCTAssertNil(content(name))
            XCTAssertEqual(names.filter { $0.hasPrefix(name + ".") && $0.hasSuffix(".part") }.count, 1)
            let (whole, asked) = try serveFile(data, ranges: ranges)
            request.url = whole.http + "/a"
            XCTAssertEqual(try response(request).status, 200)
            XCTAssertTrue(content(name) == data)
            XCTAssertEqual(asked.all, ["bytes=2000000-"])
        }
        expectNames(["outfalse", "outtrue"])
    }

    /// The file's own thread ends after the exchange.
    private func awaitPart(_ request: HTTPRequest) {
        guard case .received(let target)? = request.file else { return XCTFail("no file") }
        while let (descriptor, part) = try? PartFile(target).open() {
            defer { close(descriptor) }
            if part != nil { return }
        }
        XCTFail("there is no part")
    }

    private func target(_ request: HTTPRequest) throws -> PartFile {
        guard case .received(let target)? = request.file else { throw NetworkFailure(.file, "no file") }
        return PartFile(target)
    }

    /// As an exchange leaves it that was killed.
    private func leave(_ data: [UInt8], _ version: FileVersion?, of request: HTTPRequest) throws {
        let file = try ReceivedFile(XCTUnwrap(request.target))
        try file.startOver(version)
        try file.write(data)
        try file.sync()
    }

    /// The process was killed when all had come, or when the file at the server was longer.
    func testAReceiptThatIsCompleteGetsItsName() throws {
        let data = bytes(1000)
        let (server, _) = try serveFile(data)
        let request = download(server.http + "/a", to: "out")
        try leave(data, FileVersion(tag: "\"v1\"", modified: nil, total: 1000), of: request)
        XCTAssertEqual(try response(request).status, 200)
        XCTAssertTrue(content("out") == data)
        let again = download(server.http + "/a", to: "out", replaces: true)
        try leave(data + [1], FileVersion(tag: "\"v1\"", modified: nil, total: -1), of: again)
        XCTAssertEqual(try response(again).status, 416)
        expectNames(["out"], "what fits nothing is not kept")
    }

    /// Whatever is there of a file, and whatever the server says to it: the file is the server's, or there is none.
    func testAPartOfAnotherVersionIsNotGoneOnWith() throws {
        let data = bytes(1000)
        let v1 = FileVersion(tag: "\"v1\"", modified: nil, total: 1000)
        // The server has another version, has told none, or the part is of none.
        for (version, tag) in [(v1, "\"v2\""), (v1, nil), (nil, "\"v1\"")] as [(FileVersion?, String?)] {
            let (server, _) = try serveFile(data, tag: tag)
            let request = download(server.http + "/a", to: "out", replaces: true)
            try leave([UInt8](repeating: 0, count: 300), version, of: request)
            XCTAssertEqual(try response(request).status, 200)
            XCTAssertTrue(content("out") == data)
            expectNames(["out"])
        }
    }

    func testAnAnswerThatIsNoRestIsRefused() throws {
        let data = bytes(1000)
        for (head, count) in [
            ("Content-Range: bytes 300-999/1000\r\nETag: \"v2\"\r\n", 700),
            ("Content-Range: bytes 300-399/1000\r\n", 100), ("Content-Range: bytes 300-999/2000\r\n", 700),
            ("Content-Range: bytes 200-999/1000\r\n", 800), ("Content-Range: bytes 300-999/1000\r\n", 699),
            ("Content-Range: bytes 300-999/1000\r\n", 701), ("Content-Range: bytes 300-999/*\r\n", 700), ("", 700),
        ] {
            let sent = bytes(count)
            let server = try serve { connection in
                guard connection.readRequest() != nil else { return }
                connection.write("HTTP/1.1 206 Part\r\n\(head)Content-Length: \(count)\r\n\r\n")
                connection.write(sent)
            }
            let request = download(server.http + "/a", to: "out")
            try leave(Array(data[..<300]), FileVersion(tag: "\"v1\"", modified: nil, total: 1000), of: request)
            XCTAssertNotEqual(try failure(request).kind, .timedOut, head)
            XCTAssertNil(content("out"), head)
        }
    }

    /// A part of an answer that nobody has asked for, or an answer without a file.
    func testOnlyTheWholeIsAFile() throws {
        for head in [
            "206 Part\r\nContent-Range: bytes 0-2/10", "206 Part\r\nContent-Range: bytes 0-2/3", "201 Made",
            "202 Later", "203 Other", "204 None", "205 Reset",
        ] {
            let server = try serve { connection in
                guard connection.readRequest() != nil else { return }
                let length = head.hasPrefix("204") ? "" : "Content-Length: 3\r\n"
                connection.write("HTTP/1.1 \(head)\r\n\(length)\r\n\(head.hasPrefix("204") ? "" : "abc")")
            }
            XCTAssertEqual(try failure(download(server.http + "/a", to: "out")).kind, .protocolError, head)
        }
        expectNames([])
    }

    /// Who may write into the folder cannot make this process write into another file, or give it away.
    func testAPartThatSomebodyElsePutThereIsNotUsed() throws {
        let data = bytes(1000)
        let (server, _) = try serveFile(data)
        let request = download(server.http + "/a", to: "out", replaces: true)
        let path = try target(request).path
        let other = try write([1, 2, 3], as: "other")
        XCTAssertEqual(link(other, path), 0)
        XCTAssertEqual(try response(request).status, 200)
        XCTAssertEqual(content("other"), [1, 2, 3])
        XCTAssertTrue(FileManager.default.createFile(
            atPath: path, contents: Data([9]), attributes: [.posixPermissions: 0o666]))
        XCTAssertEqual(try response(request).status, 200)
        XCTAssertTrue(content("out") == data)
        var status = stat()
        XCTAssertEqual(stat(folder + "/out", &status), 0)
        XCTAssertEqual(status.st_mode & 0o777, 0o600)
        expectNames(["other", "out"])
    }

    func testANameMayHaveAllTheRoomThereIs() throws {
        let data = bytes(1000)
        let (server, _) = try serveFile(data)
        for name in [String(repeating: "n", count: 255), String(repeating: "é", count: 127)] {
            XCTAssertEqual(try response(download(server.http + "/a", to: name)).status, 200)
            XCTAssertTrue(content(name) == data)
        }
    }

    func testWhatIsThereIsNotReplaced() throws {
        let (server, asked) = try serveFile(bytes(10))
        _ = try write([1], as: "out")
        let failure = try failure(download(server.http, to: "out"))
        XCTAssertEqual(failure.code, DiskFile.Problem.exists.rawValue)
        XCTAssertEqual(content("out"), [1])
        XCTAssertEqual(asked.all.count, 0)
        XCTAssertEqual(try response(download(server.http, to: "out", replaces: true)).status, 200)
        XCTAssertEqual(content("out"), bytes(10))
        XCTAssertEqual(
            try self.failure(download(server.http, to: "none/out")).code, DiskFile.Problem.unwritable.rawValue)
        expectNames(["out"])
    }

    /// It came while the file was received.
    func testANameThatIsTakenMeanwhileIsNotReplaced() throws {
        let path = folder + "/out"
        let server = try serve { connection in
            guard connection.readRequest() != nil else { return }
            _ = FileManager.default.createFile(atPath: path, contents: Data([7]))
            connection.respond(text: "new")
        }
        XCTAssertEqual(try failure(download(server.http, to: "out")).code, DiskFile.Problem.exists.rawValue)
        XCTAssertEqual(content("out"), [7])
        expectNames(["out"])
    }

    func testOnlyAFileIsReplaced() throws {
        let (server, asked) = try serveFile(bytes(10))
        XCTAssertEqual(mkdir(folder + "/folder", 0o700), 0)
        XCTAssertEqual(mkfifo(folder + "/pipe", 0o600), 0)
        XCTAssertEqual(symlink("folder", folder + "/link"), 0)
        for name in ["folder", "pipe", "link"] {
            let failure = try failure(download(server.http, to: name, replaces: true))
            XCTAssertEqual(failure.code, DiskFile.Problem.notRegular.rawValue)
        }
        XCTAssertEqual(asked.all.count, 0)
        expectNames(["folder", "link", "pipe"])
    }

    func testTooLargeIsNotKept() throws {
        let (server, _) = try serveFile(bytes(100_000))
        for limit in [Int64(0), 99_999] {
            XCTAssertEqual(try failure(download(server.http, to: "out", limit: limit)).kind, .tooLarge)
        }
        let endless = try serve { connection in
            guard connection.readRequest() != nil else { return }
            connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            while connection.write("400\r\n" + String(repeating: "x", count: 1024) + "\r\n") {}
        }
        XCTAssertEqual(try failure(download(endless.http, to: "out", limit: 500_000)).kind, .tooLarge)
        XCTAssertEqual(try response(download(server.http, to: "out", limit: 100_000)).status, 200)
        expectNames(["out"])
    }

    func testARefusalIsNoFile() throws {
        let server = try serve { connection in
            while connection.readRequest() != nil { connection.respond("403 No", text: "not yours") }
        }
        let answer = try response(download(server.http, to: "out"))
        XCTAssertEqual(answer.status, 403)
        XCTAssertEqual(String(decoding: answer.body, as: UTF8.self), "not yours")
        expectNames([])
    }

    func testARedirectIsFollowedWithinItsScheme() throws {
        let data = bytes(1000)
        let (server, _) = try serveFile(data)
        let location = Collected<String>()
        location.append(server.http + "/there")
        let other = try serve { connection in
            while connection.readRequest() != nil {
                connection.respond("302 There", headers: "Location: \(location.all.last ?? "")\r\n", text: "there")
            }
        }
        XCTAssertEqual(try response(download(other.http, to: "out")).status, 200)
        XCTAssertTrue(content("out") == data)
        for url in ["https://127.0.0.1:1/x", "file:///etc/passwd", "ftp://127.0.0.1/x"] {
            location.append(url)
            XCTAssertEqual(try failure(download(other.http, to: "other")).kind, .protocolError, url)
        }
        expectNames(["out"])
    }

    func testTheSameFileIsReceivedOnceAtATime() throws {
        let goesOn = DispatchSemaphore(value: 0)
        let server = try serve { connection in
            guard connection.readRequest() != nil else { return }
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345")
            goesOn.wait()
            connection.write("67890")
        }
        let outcomes = Collected<Outcome>(), told = Collected<Int64>()
        var request = download(server.http, to: "out")
        request.progress = { done, _ in told.append(done) }
        network.send(request) { outcomes.append($0) }
        told.wait(count: 1)
        XCTAssertEqual(try failure(download(server.http, to: "out")).code, DiskFile.Problem.busy.rawValue)
        goesOn.signal()
        XCTAssertEqual(try XCTUnwrap(outcomes.wait(count: 1).first).get().status, 200)
        XCTAssertEqual(content("out").map { String(decoding: $0, as: UTF8.self) }, "1234567890")
    }

    /// What has come is kept for the next exchange, or not, as who cancels says.
    func testAReceiptIsCanceled() throws {
        let server = try serve { connection in
            guard connection.readRequest() != nil else { return }
            connection.write("HTTP/1.1 200 OK\r\nETag: \"v\"\r\nContent-Length: 1000000\r\n\r\n"
                + String(repeating: "x", count: 1000))
            _ = connection.readRequest()
        }
        for isDiscarding in [false, true] {
            let outcomes = Collected<Outcome>(), told = Collected<Int64>()
            var request = download(server.http, to: "out")
            request.progress = { done, _ in told.append(done) }
            let id = network.send(request) { outcomes.append($0) }
            told.wait(count: 1)
            network.cancel(id, discarding: isDiscarding ? request.target : nil)
            outcomes.wait(count: 1)
            waitForNames(isDiscarding ? 0 : 2)
        }
    }

    /// The connection breaks, and the host cancels before it hears of that.
    func testACancelBehindAFailureDiscards() throws {
        let server = try serve { connection in
            guard connection.readRequest() != nil else { return }
            connection.write("HTTP/1.1 200 OK\r\nETag: \"v\"\r\nContent-Length: 1000000\r\n\r\n"
                + String(repeating: "x", count: 1000))
        }
        let outcomes = Collected<Outcome>()
        let request = download(server.http, to: "out")
        let id = network.send(request) { outcomes.append($0) }
        outcomes.wait(count: 1)
        waitForNames(2)
        network.cancel(id, discarding: request.target)
        waitForNames(0)
    }

    /// The file's own thread ends after the exchange.
    private func waitForNames(_ count: Int) {
        let deadline = Date().addingTimeInterval(20)
        while names.count != count, Date() < deadline { sched_yield() }
        XCTAssertEqual(names.count, count, "\(names)")
    }

    func testPartsOfTheWhole() {
        for (text, first, last, total) in [
            ("bytes 5-9/10", 5, 9, 10), ("bytes */10", nil, nil, 10), ("bytes 0-9/*", 0, 9, nil),
        ] as [(String, Int64?, Int64?, Int64?)] {
            XCTAssertEqual(ContentRange(text)?.first, first)
            XCTAssertEqual(ContentRange(text)?.last, last)
            XCTAssertEqual(ContentRange(text)?.total, total)
        }
        for text in ["", "bytes", "bytes ", "bytes 1-2", "bytes */*", "lines 1-2/3", "bytes a-b/c", "bytes 1/2/3"] {
            XCTAssertNil(ContentRange(text), text)
        }
    }
}

extension HTTPRequest {
    fileprivate var target: HTTPTarget? {
        guard case .received(let target)? = file else { return nil }
        return target
    }
}
