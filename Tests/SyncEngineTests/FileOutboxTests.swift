import SyncJSON
import SyncModel
import XCTest

@testable import SyncEngine

/// Messages with files: uploaded, then sent, each step once.
final class FileOutboxTests: EngineTestCase {
    private func isUpload(_ request: ServiceRequest) -> Bool {
        if case .uploadFile = request { true } else { false }
    }

    private func online(_ change: (inout EngineOptions) -> Void = { _ in }, fileLimit: Int64? = nil) {
        start(change)
        openMessages(1, "c")
        connect(fileLimit: fileLimit)
        serve(channels: [EngineTestCase.channel("c")])
    }

    /// Sends a message with files of this machine, each of which exists.
    @discardableResult
    private func sendFiles(_ id: RequestID, _ paths: [String], wait: Bool = false, makes: Bool = true) -> CallID {
        if makes { for path in paths { files.make(path) } }
        let document = JSON.object(["type": "FILE"])
        let entries = paths.map { path in
            JSON.object(["path": .string(path), "name": .string("n"), "type": "image/png"])
        }
        if entries.count == 1 { document.set("file", entries[0]) } else { document.set("files", .array(entries)) }
        if wait { document.set("wait", true) }
        let call = newCall()
        command(.call(call, .own(.send(requestID: id, body: document.serialized()), in: 1)))
        return call
    }

    /// What is being uploaded: the request ids with the paths.
    private var uploading: [String] {
        asked(isUpload).map { request in
            guard case .uploadFile(_, let id, let file) = request else { return "" }
            return "\(id) \(file.path)"
        }
    }

    private var sending: [RequestID] {
        asked(isSend).compactMap { if case .sendMessage(_, let id, _) = $0 { id } else { nil } }
    }

    private func uploaded(_ id: RequestID, _ url: String = "u", file: StaticString = #filePath, line: UInt = #line) {
        let reply = ServiceReply.uploaded(UploadedFile(url: url, thumbnails: Array("[]".utf8), requiresAuth: false))
        answer(reply, file: file, line: line) {
            if case .uploadFile(_, id, _) = $0 { true } else { false }
        }
    }

    private func uploadFailed(_ id: RequestID, _ kind: ServiceFailure.Kind, _ code: Int) {
        answer(EngineTestCase.failure(kind, code)) { if case .uploadFile(_, id, _) = $0 { true } else { false } }
    }

    private func acknowledge(_ number: Int64, _ id: RequestID) {
        answer(.message(EngineTestCase.message(number, by: "mei", requestID: id))) {
            if case .sendMessage(_, id, _) = $0 { true } else { false }
        }
    }

    // MARK: Two steps

    func testAFileIsUploadedAndThenSent() throws {
        online()
        let call = sendFiles("f", ["/a"])
        XCTAssertEqual(host.ids(1, .pending), ["f"])
        XCTAssertEqual(uploading, ["f /a"])
        XCTAssertEqual(sending, [])
        uploaded("f", "http://x/a")
        XCTAssertEqual(sending, ["f"])
        let stored = try XCTUnwrap(intents.intents().first)
        XCTAssertEqual(try JSON.parse(stored.body)["file"]?["url"]?.string, "http://x/a", "the address is on the disk")
        XCTAssertTrue(try XCTUnwrap(host.json(1, .pending, "f")).contains("http://x/a"), "and shown")
        acknowledge(1, "f")
        XCTAssertEqual(host.status(call), .ok)
        XCTAssertEqual(host.ids(1, .pending), [])
        XCTAssertEqual(try intents.intents().count, 0)
    }

    func testEveryFileOfAMessageIsUploadedOnce() {
        online()
        sendFiles("f", ["/a", "/b", "/c"])
        for path in ["/a", "/b", "/c"] {
            XCTAssertEqual(uploading, ["f " + path])
            XCTAssertEqual(sending, [])
            uploaded("f", "u" + path)
        }
        XCTAssertEqual(uploading, [])
        XCTAssertEqual(sending, ["f"])
    }

    func testAMessageWithAnAddressNeedsNoUpload() {
        online()
        let body = Array(#"{"type":"FILE","file":{"url":"http://x/a","name":"a"}}"#.utf8)
        command(.call(newCall(), .own(.send(requestID: "f", body: body), in: 1)))
        XCTAssertEqual(uploading, [])
        XCTAssertEqual(sending, ["f"])
    }

    /// The process ends at each point of the two steps.
    func testNoFileIsUploadedTwice() {
        for steps in 0...3 {
            online()
            let id = RequestID("f\(steps)")
            sendFiles(id, ["/a", "/b"])
            if steps > 0 { uploaded(id, "ua") }
            if steps > 1 { uploaded(id, "ub") }
            if steps > 2 { acknowledge(1, id) }
            // A kill: nothing more is stored.
            online()
            XCTAssertEqual(uploading, [["\(id) /a"], ["\(id) /b"], [], []][steps], "\(steps)")
            XCTAssertEqual(sending, steps == 2 ? [id] : [], "\(steps)")
            if steps == 0 { uploaded(id, "ua") }
            if steps < 2 { uploaded(id, "ub") }
            if steps < 3 { acknowledge(2, id) }
            XCTAssertEqual(try intents.intents().count, 0)
        }
    }

    // MARK: Order

    func testTextsOvertakeFilesAndFilesKeepTheirOrder() {
        online { $0.uploadsAtOnce = 3 }
        sendFiles("f1", ["/a"])
        sendFiles("f2", ["/b"])
        send(1, "t1")
        XCTAssertEqual(uploading, ["f1 /a", "f2 /b"])
        XCTAssertEqual(sending, ["t1"])
        acknowledge(1, "t1")
        uploaded("f2")
        XCTAssertEqual(sending, [], "the first one has not been uploaded")
        send(1, "t2")
        XCTAssertEqual(sending, ["t2"])
        acknowledge(2, "t2")
        uploaded("f1")
        XCTAssertEqual(sending, ["f1"])
        acknowledge(3, "f1")
        XCTAssertEqual(sending, ["f2"])
    }

    func testNothingOvertakesAFileThatIsWaitedFor() {
        online()
        sendFiles("f", ["/a"], wait: true)
        send(1, "t")
        XCTAssertEqual(sending, [])
        uploaded("f")
        XCTAssertEqual(sending, ["f"])
        acknowledge(1, "f")
        XCTAssertEqual(sending, ["t"])
    }

    /// Whatever becomes of the file that it waits for.
    func testWhatWaitsForAFileGoesOutWhenThatFailsOrGoes() {
        online()
        sendFiles("f1", ["/a"], wait: true)
        send(1, "t1")
        XCTAssertEqual(sending, [])
        uploadFailed("f1", .refused, 900_066)
        XCTAssertEqual(sending, ["t1"])
        acknowledge(1, "t1")
        sendFiles("f2", ["/b"], wait: true)
        send(1, "t2")
        command(.call(newCall(), .own(.delete(.unsent(requestID: "f2")), in: 1)))
        XCTAssertEqual(sending, ["t2"])
        acknowledge(2, "t2")
        let call = sendFiles("f3", ["/c"], wait: true)
        send(1, "t3")
        let request = ActionCall.Value.integer(Int64(clamping: call.number))
        command(.call(newCall(), .action(ActionCall(action: .library(.cancel), arguments: ["request": request]))))
        XCTAssertEqual(sending, ["t3"])
    }

    func testSoManyFilesAreUploadedAtOnce() {
        online()
        for number in 1...4 { sendFiles(RequestID("f\(number)"), ["/\(number)"]) }
        XCTAssertEqual(uploading, ["f1 /1", "f2 /2"])
        uploaded("f2")
        XCTAssertEqual(uploading, ["f1 /1", "f3 /3"])
    }

    func testWhatWaitedIsUploadedAfterSync() {
        start()
        openMessages(1, "c")
        sendFiles("f", ["/a"])
        XCTAssertEqual(host.ids(1, .pending), ["f"])
        connect()
        XCTAssertEqual(uploading, [])
        serve(channels: [EngineTestCase.channel("c")])
        XCTAssertEqual(uploading, ["f /a"])
    }

    // MARK: Failures

    func testAFileThatFailedIsTriedOnceMoreAfterASecond() {
        online { $0.resendPolicy = .manual }
        let call = sendFiles("f", ["/a"])
        uploadFailed("f", .unreachable, 800_120)
        XCTAssertEqual(uploading, [])
        XCTAssertEqual(host.ids(1, .pending), ["f"])
        wait(999)
        XCTAssertEqual(uploading, [])
        wait(1)
        XCTAssertEqual(uploading, ["f /a"])
        XCTAssertNil(host.status(call))
        uploadFailed("f", .timedOut, 800_250)
        XCTAssertEqual(host.status(call), .timeout)
        XCTAssertEqual(host.ids(1, .failed), ["f"])
        wait(600_000)
        XCTAssertEqual(uploading, [])
        let again = newCall()
        command(.call(again, .own(.resend(requestID: "f"), in: 1)))
        XCTAssertEqual(uploading, ["f /a"])
        uploaded("f")
        acknowledge(1, "f")
        XCTAssertEqual(host.status(again), .ok)
        XCTAssertEqual(host.ids(1, .failed), [])
    }

    func testWhatARetryCuresIsRetriedByItself() {
        online()
        sendFiles("f", ["/a"])
        for round in 1...3 {
            uploadFailed("f", .unreachable, 800_120)
            wait(1000)
            uploadFailed("f", .unreachable, 800_120)
            XCTAssertEqual(host.ids(1, .failed), ["f"])
            let text = RequestID("t\(round)")
            send(1, text)
            XCTAssertEqual(sending, [text], "texts do not wait for it")
            acknowledge(Int64(round), text)
            wait(60_000)
            XCTAssertEqual(uploading, ["f /a"])
        }
        uploaded("f")
        XCTAssertEqual(sending, ["f"])
    }

    func testARefusedFileFailsForGood() {
        online()
        let call = sendFiles("f", ["/a"])
        uploadFailed("f", .refused, 800_260)
        XCTAssertEqual(host.status(call), .service)
        XCTAssertEqual(host.result(call)?.failure?.code, 800_260)
        wait(3_600_000)
        XCTAssertEqual(uploading, [])
        XCTAssertTrue(try XCTUnwrap(host.json(1, .failed, "f")).contains(#""resendable":false"#))
    }

    func testAFileThatChangedIsNotSent() {
        online()
        sendFiles("f", ["/a"])
        uploadFailed("f", .file(.changed), 800_270)
        XCTAssertEqual(host.ids(1, .failed), ["f"])
        XCTAssertTrue(try XCTUnwrap(host.json(1, .failed, "f")).contains(#""resendable":false"#))
        wait(3_600_000)
        XCTAssertEqual(uploading, [])
    }

    /// Without a descriptor the file itself is not at fault, see RulesTests.
    func testAFileThatCannotBeOpenedNowIsRetried() {
        online()
        sendFiles("f", ["/a"])
        uploadFailed("f", .crowded, 800_120)
        XCTAssertEqual(host.ids(1, .pending), ["f"])
        wait(1000)
        XCTAssertEqual(uploading, ["f /a"])
        uploaded("f")
        XCTAssertEqual(sending, ["f"])
    }

    func testWhatCannotBeSentIsRefusedAtOnce() throws {
        online(fileLimit: 100)
        for (path, problem) in [
            ("/none", nil), ("/folder", .notRegular), ("/secret", .unreadable), ("/empty", .empty),
        ] as [(String, FileProblem?)] {
            if let problem { files.all[path] = .failure(problem) }
            let call = sendFiles("f", [path], makes: false)
            XCTAssertEqual(host.status(call), .invalidArgument, path)
            XCTAssertEqual(host.result(call)?.failure?.code, 800_270)
            XCTAssertTrue(try XCTUnwrap(host.result(call)?.failure).message.hasPrefix(path + ": "))
        }
        files.make("/large", 101)
        let call = sendFiles("f", ["/large"], makes: false)
        XCTAssertEqual(host.status(call), .tooLarge)
        XCTAssertEqual(host.result(call)?.failure?.code, 800_260)
        XCTAssertEqual(
            host.result(call)?.failure?.message, "/large: the service takes files of at most 100 bytes")
        XCTAssertEqual(host.ids(1, .pending) + host.ids(1, .failed), [])
        XCTAssertEqual(try intents.intents().count, 0)
        files.make("/fits", 100)
        sendFiles("f", ["/fits"], makes: false)
        XCTAssertEqual(uploading, ["f /fits"])
    }

    /// Offline the limit is not known.
    func testAFileThatTurnsOutToBeTooLargeFails() {
        start()
        openMessages(1, "c")
        files.make("/large", 101)
        sendFiles("f", ["/large"], makes: false)
        connect(fileLimit: 100)
        serve(channels: [EngineTestCase.channel("c")])
        XCTAssertEqual(uploading, [])
        XCTAssertEqual(host.ids(1, .failed), ["f"])
        XCTAssertTrue(try XCTUnwrap(host.json(1, .failed, "f")).contains("800260"))
    }

    // MARK: The end

    func testACanceledFileIsNotSent() throws {
        online()
        let call = sendFiles("f", ["/a"])
        let request = ActionCall.Value.integer(Int64(clamping: call.number))
        let action = ActionCall(action: .library(.cancel), arguments: ["request": request])
        command(.call(newCall(), .action(action)))
        XCTAssertEqual(host.status(call), .canceled)
        let message = try XCTUnwrap(host.result(call)?.message)
        XCTAssertEqual(try JSON.parse(message)["status"]?.string, "canceled")
        XCTAssertEqual(try JSON.parse(message)["error_code"]?.int, 800_240)
        XCTAssertEqual(canceled.count, 1, "the upload ends at once")
        XCTAssertEqual(try intents.intents().count, 0)
        XCTAssertEqual(host.ids(1, .pending), [])
    }

    func testADeletedFileIsNotSent() throws {
        online()
        let call = sendFiles("f", ["/a"])
        sendFiles("g", ["/b"])
        sendFiles("h", ["/c"])
        command(.call(newCall(), .own(.delete(.unsent(requestID: "f")), in: 1)))
        XCTAssertEqual(host.status(call), .removed)
        XCTAssertEqual(canceled.count, 1)
        XCTAssertEqual(uploading, ["g /b", "h /c"], "its place is another one's")
    }

    func testAnUploadBeginsAgainWithTheSession() {
        online()
        let call = sendFiles("f", ["/a"])
        loseConnection()
        XCTAssertEqual(host.ids(1, .pending), ["f"])
        XCTAssertNil(host.status(call))
        wait(60_000)
        event(.connected(SessionInfo(userID: "mei", loginTime: EngineTestCase.wall)))
        serve(channels: [EngineTestCase.channel("c")])
        XCTAssertEqual(uploading, ["f /a"])
        uploaded("f")
        acknowledge(1, "f")
        XCTAssertEqual(host.status(call), .ok)
    }

    func testProgressIsTold() throws {
        online()
        sendFiles("f", ["/a", "/b"])
        uploaded("f")
        forgetEvents()
        progress(4, of: 10, to: isUpload)
        guard case .client(.uploadProgress(let told))? = host.events.first else { return XCTFail("\(host.events)") }
        XCTAssertEqual(told, FileProgress(requestID: "f", channelURL: "c", file: 1, done: 4, total: 10))
    }

    /// What the host could not send has no stamp yet.
    func testAFailedFileOfTheHostIsSentAgain() {
        online()
        files.make("/a")
        let body = Array(#"{"file":{"path":"/a","name":"a","type":"t"},"request_id":"h"}"#.utf8)
        command(.call(newCall(), .own(.append(requestID: "h", body: body), in: 1)))
        XCTAssertEqual(uploading, [], "the host sends it")
        let failed = Array(#"{"request_id":"h"}"#.utf8)
        command(.call(
            newCall(), .own(.handleSendResponse(requestID: "h", .failed(code: 1, body: failed)), in: 1)))
        command(.call(newCall(), .own(.resend(requestID: "h"), in: 1)))
        XCTAssertEqual(uploading, ["h /a"])
        uploaded("h")
        XCTAssertEqual(sending, ["h"])
    }
}
