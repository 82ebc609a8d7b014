import SyncModel
import SyncTree
import XCTest

@testable import SyncRealtime

/// Counts, input by input.
final class DatabaseCountTests: DatabaseMachineCase {
    private let lost = TransportFailure(kind: .timedOut, message: "late")

    /// A count whose sum of `value` is on its way to the service: the request's number.
    private func counting(_ by: Int64, over value: String, tag: String = "one") throws -> (id: UInt64, put: UInt64) {
        let id = try machine.count(path("n"), by: by, now: now)
        let read = try number(outputs().last { $0.contains("GET") })
        answer(read, 200, value, [TransportHeader("ETag", tag)])
        let line = try XCTUnwrap(outputs().first { $0.contains("PUT") })
        return (id, try number(line))
    }

    func testCountsAreWrittenOverWhatIsThere() throws {
        for (by, value, sum) in [
            (2, "5", "7"), (-2, "5", "3"), (-9, "5", "-4"), (2, "null", "2"), (-2, "null", "0"), (3, "\"x\"", "3"),
            (3, "1.5", "3"), (3, #"{"a":1}"#, "3"), (1, "9223372036854775806", "9223372036854775807"),
            (-1, "-9223372036854775807", "-9223372036854775808"),
        ] as [(Int64, String, String)] {
            fresh()
            let id = try machine.count(path("n"), by: by, now: now)
            XCTAssertEqual(outputs(), ["2 GET db.example/n.json?ns=test"])
            answer(2, 200, value, [TransportHeader("ETag", "one")])
            guard case .transport(.send(let sent, let put))? = machine.takeOutputs().first else {
                return XCTFail("nothing is sent")
            }
            XCTAssertEqual(sent.body, Array(sum.utf8), "\(by) over \(value)")
            XCTAssertTrue(sent.headers.contains(TransportHeader("if-match", "one")))
            answer(put, sum)
            XCTAssertEqual(outputs(), ["\(id) written"])
            XCTAssertEqual(keep.ordered, [])
        }
    }

    /// Reading it again would end in the same way for ever.
    func testAValueThatIsTooLargeIsNotCounted() throws {
        let values = Array("[".utf8) + [UInt8](repeating: UInt8(ascii: " "), count: 10) + Array("1".utf8)
            + (0..<2_000_000).flatMap { _ in Array(",1".utf8) } + Array("]".utf8)
        for isReceived in [false, true] {
            fresh()
            let id = try machine.count(path("n"), by: 1, now: now)
            let other = try machine.set(path("m"), Array("1".utf8), now: now)
            let read = try number(outputs().last { $0.contains("GET") })
            if isReceived {
                answer(read, 200, String(decoding: values, as: UTF8.self), [TransportHeader("ETag", "one")])
            } else {
                machine.receive(
                    .requestFailed(id: read, TransportFailure(kind: .tooLarge, message: "why")), now: now)
            }
            machine.advance(now: now)
            let lines = outputs()
            let why = isReceived ? "the value takes more than 64 MiB" : "why"
            XCTAssertTrue(lines.contains("\(id) refused \(why)"), "\(lines)")
            XCTAssertTrue(lines.contains { $0.contains("PUT db.example/m.json") }, "\(lines)")
            XCTAssertEqual(keep.ordered.map(\.id), [other])
        }
    }

    /// The service has nothing of it, the place keeps what it has, and what was counted behind it goes on.
    func testASumBeyond64BitsIsRefused() throws {
        for (by, value) in [(1, Int64.max), (-1, Int64.min), (1 << 53, Int64.max - 1)] as [(Int64, Int64)] {
            fresh()
            let (listen, _) = try listening("n", "\(value)")
            let id = try machine.count(path("n"), by: by, now: now)
            let read = try number(outputs().last { $0.contains("GET") })
            let back = try machine.count(path("n"), by: -by, now: now)
            _ = outputs()
            answer(read, 200, "\(value)", [TransportHeader("ETag", "one")])
            let lines = outputs()
            XCTAssertTrue(lines.contains("\(id) refused \(DatabaseFailure.sumTooLarge.message)"), "\(lines)")
            XCTAssertFalse(lines.contains { $0.contains("PUT") }, "\(lines)")
            XCTAssertEqual(keep.ordered.map(\.id), [back])
            machine.advance(now: now)
            let next = try number(outputs().last { $0.contains("GET") })
            answer(next, 200, "\(value)", [TransportHeader("ETag", "one")])
            XCTAssertTrue(outputs().contains { $0.hasSuffix("PUT db.example/n.json?ns=test \(value - by)") })
            XCTAssertNotEqual(listen, 0)
        }
    }

    /// Others have counted to the end of the range meanwhile.
    func testASumThatDoesNotFitAnyMoreIsRefused() throws {
        fresh()
        let (id, put) = try counting(1, over: "5")
        answer(put, 412, "9223372036854775807", [TransportHeader("ETag", "two")])
        XCTAssertEqual(outputs(), ["\(id) refused \(DatabaseFailure.sumTooLarge.message)"])
        XCTAssertEqual(keep.ordered, [])
    }

    func testCountsAreShownOverWhatOthersCount() throws {
        fresh()
        let (listen, stream) = try listening("n", "5")
        let first = try machine.count(path("n"), by: 1, now: now)
        XCTAssertEqual(outputs().first, "\(listen) = 6")
        _ = try machine.count(path("n"), by: 10, now: now)
        XCTAssertEqual(outputs(), ["\(listen) = 16"])
        event(stream, "put", #"{"path":"/","data":7}"#)
        XCTAssertEqual(outputs(), ["\(listen) = 18"])
        answer(first + 1, 200, "7", [TransportHeader("ETag", "seven")])
        let put = try number(outputs().last)
        // Somebody was faster.
        event(stream, "put", #"{"path":"/","data":8}"#)
        answer(put, 412, "8", [TransportHeader("ETag", "eight")])
        let lines = outputs()
        XCTAssertEqual(lines.last, "\(listen) = 19", "\(lines)")
        let again = try number(lines.first { $0.hasSuffix("PUT db.example/n.json?ns=test 9") })
        event(stream, "put", #"{"path":"/","data":9}"#)
        answer(again, "9")
        XCTAssertEqual(outputs().filter { $0.hasPrefix("\(listen)") }, [], "19 it was and is")
        XCTAssertEqual(keep.ordered.map(\.body), [Array("10".utf8)])
        // A new process knows of the second one what was kept.
        start()
        machine.setOnline(false, now: now)
        machine.restore(keep.ordered, now: now)
        let later = machine.listen(DatabaseLocation(try path("n")), now: now)
        XCTAssertEqual(outputs(), ["\(later) ~ 19", "\(later) unheard"])
    }

    func testACountWhoseAnswerIsLost() throws {
        // Not written; written; somebody else has counted since, and nobody can say.
        let put = "PUT db.example/n.json?ns=test "
        for (value, tag, next) in [("5", "one", put + "6"), ("6", "two", ""), ("9", "x", put + "10")] {
            fresh()
            let (id, sent) = try counting(1, over: "5")
            machine.receive(.requestFailed(id: sent, lost), now: now)
            XCTAssertEqual(outputs(), [])
            time = try XCTUnwrap(machine.nextDeadline)
            machine.advance(now: now)
            answer(try number(outputs().last { $0.contains("GET") }), 200, value, [TransportHeader("ETag", tag)])
            let lines = outputs()
            XCTAssertEqual(lines.map { $0.drop { $0 != " " }.dropFirst() }, next.isEmpty ? ["written"] : [next[...]])
            guard !next.isEmpty else { continue }
            let repeated = try number(lines.last)
            // The lost one came late, and it was this client's.
            answer(repeated, 412, tag == "one" ? "6" : "11", [TransportHeader("ETag", "late")])
            XCTAssertEqual(
                outputs().map { $0.drop { $0 != " " }.dropFirst() },
                tag == "one" ? ["written"] : [Substring(put + "12")])
            XCTAssertEqual(keep.ordered.map(\.id), tag == "one" ? [] : [id])
        }
    }

    func testACountGivesWayToOthersAndGoesOn() throws {
        fresh()
        var (id, put) = try counting(1, over: "0")
        for round in 1...25 {
            answer(put, 412, "\(round)", [TransportHeader("ETag", "\(round)")])
            put = try number(outputs().last ?? "\(put)")
        }
        XCTAssertNotNil(machine.nextDeadline, "a pause")
        time = try XCTUnwrap(machine.nextDeadline)
        machine.advance(now: now)
        // Others have brought it to what was the next sum: that is theirs, nothing of ours was under way.
        answer(try number(outputs().last), 200, "26", [TransportHeader("ETag", "26")])
        let line = try XCTUnwrap(outputs().last)
        XCTAssertTrue(line.hasSuffix("PUT db.example/n.json?ns=test 27"), line)
        answer(try number(line), "27")
        XCTAssertEqual(outputs(), ["\(id) written"])
        // Answers without a value or a tag are no answers; one that refuses ends it.
        id = try machine.count(path("n"), by: 1, now: now)
        for body in ["{", "1"] {
            answer(try number(outputs().last), 200, body, body == "{" ? [TransportHeader("ETag", "t")] : [])
            XCTAssertEqual(outputs(), [])
            time = try XCTUnwrap(machine.nextDeadline)
            machine.advance(now: now)
        }
        answer(try number(outputs().last), 401, #"{"error":"Permission denied"}"#)
        XCTAssertEqual(outputs(), ["\(id) refused Permission denied"])
        XCTAssertEqual(keep.ordered, [])
    }
}
