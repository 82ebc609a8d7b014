import Foundation
import SyncEngine
import SyncModel
import SyncStore
import SyncThreads
import XCTest

@testable import SyncManager

/// Who runs the engine, and what is left when the client closes; over real stores, with a service that answers nothing.
final class EngineLoopTests: XCTestCase {
    private var directory = ""
    private var stores: (cache: CacheStore, intents: IntentStore)?

    override func setUpWithError() throws {
        directory = NSTemporaryDirectory() + "syncmanager-loop-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    }

    override func tearDownWithError() throws {
        stores?.cache.close()
        stores?.intents.close()
        stores = nil
        try FileManager.default.removeItem(atPath: directory)
    }

    private func makeLoop(_ service: SilentService = SilentService()) throws -> (EngineLoop, EventQueue) {
        let opened = (
            cache: try CacheStore(directory: directory, now: Clock.wall), intents: try IntentStore(directory: directory)
        )
        stores = opened
        let monitor = Monitor(conditions: 2)
        let queue = try XCTUnwrap(EventQueue(limit: 1000, monitor: monitor, environment: Machine.shared))
        let transport = NetworkTransport(caFile: nil)
        let core = SyncCore(
            options: EngineOptions(userID: "mei", accessToken: "token"), cache: opened.cache, intents: opened.intents,
            service: service, transport: transport, now: Machine.shared.now)
        let loop = EngineLoop(
            core: core, transport: transport, queue: queue, monitor: monitor, environment: Machine.shared)
        return (loop, queue)
    }

    /// The next result that comes, on this thread.
    private func nextCompletion(_ queue: EventQueue, timeout: Int32) -> Completion? {
        var wants = DrainWants()
        while let event = queue.take(timeout: timeout, wants: &wants) {
            if case .completion(let completion) = event.event.output { return completion }
        }
        return nil
    }

    private func clear(_ loop: EngineLoop) throws -> CallID {
        try loop.call(Listener(), fetch: nil, .clearCache(channelURL: nil))
    }

    /// There is no engine thread here: the thread that waits does the work itself.
    func testAThreadThatWaitsRunsTheEngine() throws {
        let (loop, queue) = try makeLoop()
        let call = try clear(loop)
        XCTAssertNil(nextCompletion(queue, timeout: 0), "who does not wait does not work")
        XCTAssertEqual(nextCompletion(queue, timeout: -1)?.call, call)
        XCTAssertNil(nextCompletion(queue, timeout: 5))
    }

    /// A piece of work could take longer than this thread is ready to wait.
    func testAThreadWithLittleTimeLeavesTheWorkToTheEngineThread() throws {
        let (loop, queue) = try makeLoop()
        let call = try clear(loop)
        XCTAssertNil(nextCompletion(queue, timeout: 5), "there is no engine thread yet")
        let thread = try XCTUnwrap(NativeThread("engine") { loop.run() })
        var told: CallID?
        while told == nil { told = nextCompletion(queue, timeout: 5)?.call }
        XCTAssertEqual(told, call)
        XCTAssertTrue(loop.close())
        thread.join()
    }

    func testTheEngineThreadDoesWhatNoHostThreadWaitsFor() throws {
        let (loop, queue) = try makeLoop()
        let thread = try XCTUnwrap(NativeThread("engine") { loop.run() })
        let descriptor = queue.fileDescriptor
        for round in 0..<50 {
            let call = try clear(loop)
            // Odd rounds follow a wait, in which this thread led.
            var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            XCTAssertEqual(poll(&wanted, 1, 60_000), 1, "round \(round)")
            XCTAssertEqual(nextCompletion(queue, timeout: 0)?.call, call, "round \(round)")
            if round % 2 == 0 {
                let waited = try clear(loop)
                XCTAssertEqual(nextCompletion(queue, timeout: 60_000)?.call, waited, "round \(round)")
            }
        }
        XCTAssertTrue(loop.close())
        thread.join()
    }

    /// While one input is worked on the client closes: of those behind it none is done but the storing of own messages,
    /// which is one commit, and every call has its result, once.
    func testClosingWaitsForTheInputInHandOnly() throws {
        let service = SilentService()
        let (loop, queue) = try makeLoop(service)
        let entered = DispatchSemaphore(value: 0), released = DispatchSemaphore(value: 0)
        service.onConnect = {
            entered.signal()
            released.wait()
        }
        let thread = try XCTUnwrap(NativeThread("engine") { loop.run() })
        queue.addCollection(DeliveredLists(
            CollectionInfo(messages: 1, MessageFilter(), viewpoint: 0), channelURL: "c", criteria: Array("{}".utf8)))
        try loop.post(.openMessageCollection(id: 1, channelURL: "c", filter: MessageFilter(), viewpoint: 0))
        let connect = try loop.call(Listener(), fetch: nil, .connect)
        entered.wait()
        let messages = try (0..<100).map { number in
            try loop.call(Listener(), fetch: nil,
                .own(.append(requestID: "r\(number)", body: Array(#"{"message":"m"}"#.utf8)), in: 1))
        }
        // Done, they would complete as removed and as ok.
        let fetches = try (0..<100).map { _ in
            try loop.call(Listener(), fetch: nil, .fetch(collection: 9, direction: .next))
        }
        let clears = try (0..<100).map { _ in try clear(loop) }
        var commits = 0
        stores?.intents.setCommitHook { () throws(StoreError) in commits += 1 }
        XCTAssertTrue(loop.close())
        XCTAssertFalse(loop.close(), "it is closing")
        XCTAssertThrowsError(try loop.post(.resumeSync))
        released.signal()
        thread.join()

        var statuses: [CallID: [Status]] = [:]
        while let completion = nextCompletion(queue, timeout: 0) {
            statuses[completion.call, default: []].append(completion.status)
        }
        XCTAssertEqual(statuses[connect], [.closed])
        for call in messages { XCTAssertEqual(statuses[call], [.ok]) }
        for call in fetches + clears { XCTAssertEqual(statuses[call], [.closed]) }
        XCTAssertEqual(statuses.count, 301)
        XCTAssertEqual(try stores?.intents.intents().map(\.requestID), (0..<100).map { "r\($0)" })
        XCTAssertEqual(commits, 1)
    }

    /// What a sign-out will erase is not stored before.
    func testWhatWaitsBeforeASignOutIsNotStored() throws {
        let service = SilentService()
        let (loop, queue) = try makeLoop(service)
        let entered = DispatchSemaphore(value: 0), released = DispatchSemaphore(value: 0)
        service.onConnect = {
            entered.signal()
            released.wait()
        }
        let thread = try XCTUnwrap(NativeThread("engine") { loop.run() })
        try loop.post(.openMessageCollection(id: 1, channelURL: "c", filter: MessageFilter(), viewpoint: 0))
        _ = try loop.call(Listener(), fetch: nil, .connect)
        entered.wait()
        func append(_ number: Int) throws -> CallID {
            try loop.call(Listener(), fetch: nil,
                .own(.append(requestID: "r\(number)", body: Array(#"{"message":"m"}"#.utf8)), in: 1))
        }
        let before = try (0..<100).map(append)
        let clears = try (0..<3).map { _ in try clear(loop) }
        let signOut = try loop.call(Listener(), fetch: nil, .signOut)
        let behind = try append(100)
        var statements: [String] = []
        stores?.intents.setStatementHook { sql throws(StoreError) in statements.append(sql) }
        released.signal()
        var statuses: [CallID: Status] = [:]
        while statuses[behind] == nil, let completion = nextCompletion(queue, timeout: 60_000) {
            statuses[completion.call] = completion.status
        }
        XCTAssertTrue(loop.close())
        thread.join()
        for call in before { XCTAssertEqual(statuses[call], .removed) }
        for call in clears { XCTAssertEqual(statuses[call], .canceled) }
        for call in [signOut, behind] { XCTAssertEqual(statuses[call], .ok) }
        XCTAssertEqual(statements.count { $0.contains("INSERT INTO intent") }, 1)
        XCTAssertEqual(try stores?.intents.intents().map(\.requestID), ["r100"])
    }
}
