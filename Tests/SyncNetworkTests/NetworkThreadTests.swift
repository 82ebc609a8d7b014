import Foundation
import XCTest

@testable import SyncNetwork

/// The life of the thread. These tests hold it themselves, so they are no `NetworkTestCase`.
final class NetworkThreadTests: XCTestCase {
    private func thread() throws -> NetworkThread { try NetworkThread.acquire() }

    /// The kernel's facts about the threads named `sm-network`.
    private func threadStatuses() -> [String] {
        let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        return tasks.compactMap { try? String(contentsOfFile: "/proc/self/task/\($0)/status", encoding: .utf8) }
            .filter { $0.hasPrefix("Name:\tsm-network\n") }
    }

    /// A joined thread is listed a moment longer: the kernel wakes who joins before it takes the thread off.
    private func threadCount(becomes count: Int) -> Bool {
        let end = Date(timeIntervalSinceNow: 10)
        while threadStatuses().count != count {
            if Date() > end { return false }
            sched_yield()
        }
        return true
    }

    private func server() throws -> TestServer {
        try TestServer { connection in
            while let request = connection.readRequest() {
                if request.line.contains("/never") { continue }
                connection.respond(text: "x")
            }
        }
    }

    func testAllHoldersShareOneThreadWhichEndsWithTheLast() throws {
        let server = try server()
        defer { server.stop() }
        let first = try thread()
        let second = try thread()
        XCTAssertTrue(first === second)
        let done = Collected<Bool>()
        first.send(HTTPRequest(method: "GET", url: server.http)) { _ in done.append(Thread.current.isMainThread) }
        XCTAssertEqual(done.wait(count: 1), [false])
        XCTAssertTrue(threadCount(becomes: 1))
        NetworkThread.release()
        first.send(HTTPRequest(method: "GET", url: server.http)) { _ in done.append(Thread.current.isMainThread) }
        XCTAssertEqual(done.wait(count: 2), [false, false])
        NetworkThread.release()
        XCTAssertTrue(threadCount(becomes: 0))
        // One release too many changes nothing.
        NetworkThread.release()
        let third = try thread()
        XCTAssertFalse(first === third)
        NetworkThread.release()
    }

    func testSignalsOfTheHostAreBlocked() throws {
        let network = try thread()
        defer { NetworkThread.release() }
        let done = Collected<Bool>()
        network.send(HTTPRequest(method: "GET", url: "")) { _ in done.append(true) }
        done.wait(count: 1)
        let status = try XCTUnwrap(threadStatuses().first)
        let line = try XCTUnwrap(status.components(separatedBy: "\n").first { $0.hasPrefix("SigBlk:") })
        let mask = try XCTUnwrap(UInt64(line.dropFirst(7).trimmingCharacters(in: .whitespaces), radix: 16))
        for signal in [SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGALRM, SIGCHLD, SIGUSR1] {
            XCTAssertNotEqual(mask & 1 << UInt64(signal - 1), 0, "\(signal)")
        }
        XCTAssertEqual(mask & 1 << UInt64(SIGSEGV - 1), 0)
    }

    func testSetUpAndCloseManyTimes() throws {
        let server = try server()
        defer { server.stop() }
        var before = 0
        for round in 0..<100 {
            let network = try thread()
            let done = Collected<Bool>()
            network.send(HTTPRequest(method: "GET", url: server.http)) { done.append((try? $0.get().status) == 200) }
            XCTAssertEqual(done.wait(count: 1), [true])
            NetworkThread.release()
            // What libraries open once and keep is open by now. The server's ends close in their own time.
            if round == 10 { before = ownDescriptors() }
        }
        XCTAssertLessThanOrEqual(ownDescriptors(), before)
        XCTAssertTrue(threadCount(becomes: 0))
    }

    /// Open descriptors other than sockets, and sockets that are not the test server's accepted ends.
    private func ownDescriptors() -> Int {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return names.compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)") }
            .filter { !$0.hasPrefix("socket:") }.count
    }

    func testReleaseCancelsWhatIsOpenBeforeItReturns() throws {
        let server = try server()
        defer { server.stop() }
        let network = try thread()
        let kinds = Collected<NetworkFailure.Kind?>()
        for _ in 0..<20 {
            network.send(HTTPRequest(method: "GET", url: server.http + "/never")) { outcome in
                if case .failure(let failure) = outcome { kinds.append(failure.kind) } else { kinds.append(nil) }
            }
        }
        let closed = Collected<NetworkFailure.Kind>()
        _ = network.openSocket(WebSocketOptions(url: server.ws + "/never")) { event in
            if case .closed(let failure) = event { closed.append(failure.kind) }
        }
        NetworkThread.release()
        XCTAssertEqual(kinds.all, Array(repeating: .cancelled, count: 20))
        XCTAssertEqual(closed.all, [.cancelled])
        // The thread is gone: whoever still has it is told at once.
        network.send(HTTPRequest(method: "GET", url: server.http)) { outcome in
            if case .failure(let failure) = outcome { kinds.append(failure.kind) }
        }
        XCTAssertEqual(kinds.all.count, 21)
        let id = network.openSocket(WebSocketOptions(url: server.ws)) { event in
            if case .closed(let failure) = event { closed.append(failure.kind) }
        }
        XCTAssertEqual(closed.all, [.cancelled, .cancelled])
        network.sendText(id, [65])
        network.closeSocket(id)
        network.cancel(id)
    }

    func testReleaseFromACompletion() throws {
        let server = try server()
        defer { server.stop() }
        let network = try thread()
        let done = Collected<Bool>()
        network.send(HTTPRequest(method: "GET", url: server.http)) { _ in
            NetworkThread.release()
            done.append(true)
        }
        XCTAssertEqual(done.wait(count: 1), [true])
        // A new thread does not mind the old one, which may still be ending.
        let next = try thread()
        next.send(HTTPRequest(method: "GET", url: server.http)) { _ in done.append(true) }
        XCTAssertEqual(done.wait(count: 2).count, 2)
        NetworkThread.release()
    }

    func testManyThreadsAcquireUseAndRelease() throws {
        let server = try server()
        defer { server.stop() }
        let url = server.http
        let done = Collected<Bool>()
        for _ in 0..<8 {
            Thread.detachNewThread {
                for _ in 0..<20 {
                    guard let network = try? NetworkThread.acquire() else { continue }
                    let answered = Collected<Bool>()
                    network.send(HTTPRequest(method: "GET", url: url)) { _ in answered.append(true) }
                    let id = network.send(HTTPRequest(method: "GET", url: url)) { _ in answered.append(true) }
                    network.cancel(id)
                    if answered.wait(count: 2).count != 2 { done.append(false) }
                    NetworkThread.release()
                }
                done.append(true)
            }
        }
        XCTAssertEqual(done.wait(60, count: 8), Array(repeating: true, count: 8))
        XCTAssertTrue(threadCount(becomes: 0))
    }

    func testForkedChildIsRefused() throws {
        let network = try thread()
        defer { NetworkThread.release() }
        // Swift hides fork, but hosts use it.
        let symbol = try XCTUnwrap(dlsym(UnsafeMutableRawPointer(bitPattern: 0), "fork"))
        let fork = unsafeBitCast(symbol, to: (@convention(c) () -> pid_t).self)
        let child = fork()
        if child == 0 {
            alarm(20)
            var verdict: Int32 = 0
            if (try? NetworkThread.acquire()) != nil { verdict |= 1 }
            let kinds = Collected<NetworkFailure.Kind>()
            network.send(HTTPRequest(method: "GET", url: "http://127.0.0.1:1/")) { outcome in
                if case .failure(let failure) = outcome { kinds.append(failure.kind) }
            }
            if kinds.all != [.cancelled] { verdict |= 2 }
            NetworkThread.release()
            _exit(verdict)
        }
        XCTAssertGreaterThan(child, 0)
        var status: Int32 = -1
        XCTAssertEqual(waitpid(child, &status, 0), child)
        XCTAssertEqual(status, 0)
        // The parent's thread works on.
        let done = Collected<Bool>()
        network.send(HTTPRequest(method: "GET", url: "")) { _ in done.append(true) }
        XCTAssertEqual(done.wait(count: 1), [true])
    }
}
