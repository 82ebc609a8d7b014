import Foundation
import SyncEngine
import SyncJSON
import SyncModel
import XCTest

@testable import SyncManager

/// The queue between the engine and the host, with the test as both.
final class EventQueueTests: XCTestCase {
    private func makeQueue(limit: Int = 16, collections: UInt64...) throws -> EventQueue {
        let queue = try XCTUnwrap(EventQueue(limit: limit))
        for id in collections {
            queue.addCollection(DeliveredLists(id: id, channelURL: "c", criteria: Array("{}".utf8), viewpoint: 0))
        }
        return queue
    }

    private func change(
        _ action: CollectionChange.Action, _ items: [CollectionChange.Item], source: EventSource = .sync,
        collection: UInt64 = 1
    ) -> EventQueue.Payload {
        let info = CollectionInfo(collection: collection, hasPrevious: false, hasNext: false, viewpoint: 0)
        return .event(.change(CollectionChange(
            collection: collection, list: .succeeded, action: action, source: source, items: items, info: info)))
    }

    private func item(_ index: Int, _ id: Int64, from: Int = -1) -> CollectionChange.Item {
        var item = CollectionChange.Item(index: index, message: id, json: Array("{\"message_id\":\(id)}".utf8))
        item.from = from
        return item
    }

    private func insert(_ id: Int64, at index: Int = 0, collection: UInt64 = 1) -> EventQueue.Payload {
        change(.insert, [item(index, id)], collection: collection)
    }

    private func clientEvent(_ type: String, _ number: Int = 0) -> EventQueue.Payload {
        .event(.client(type: type, members: [("number", Array("\(number)".utf8))]))
    }

    /// The next event as the host reads it; `nil` when none waits.
    private func next(_ queue: EventQueue, timeout: Int32 = 0) throws -> JSON? {
        var anew: [UInt64: Int] = [:]
        guard let event = queue.take(timeout: timeout, anew: &anew) else { return nil }
        return try JSON.parse(event.text().bytes)
    }

    private func drain(_ queue: EventQueue) throws -> [JSON] {
        var events: [JSON] = []
        while let event = try next(queue) { events.append(event) }
        return events
    }

    private func snapshot(_ queue: EventQueue) throws -> (sequence: Int64?, items: [JSON]) {
        let snapshot = try JSON.parse(try XCTUnwrap(queue.snapshot(of: 1)))
        return (snapshot["seq"]?.int, try XCTUnwrap(snapshot["succeeded"]?.array))
    }

    private func isReadable(_ descriptor: Int32) -> Bool {
        var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&wanted, 1, 0) == 1
    }

    // MARK: Order

    func testEventsKeepTheirOrderAndAreCountedWithoutGaps() throws {
        let queue = try makeQueue(limit: 100_000, collections: 1)
        var pushed = 0
        var taken = 0
        // More than the queue drops from its front at a time, in uneven portions.
        for portion in [1, 5000, 0, 3, 4097, 7000] {
            queue.push((0..<portion).map { clientEvent("connection", pushed + $0) })
            pushed += portion
            for _ in 0..<(portion / 2) {
                let event = try XCTUnwrap(try next(queue))
                XCTAssertEqual(event["number"]?.int, Int64(taken))
                taken += 1
                XCTAssertEqual(event["seq"]?.int, Int64(taken))
            }
        }
        for event in try drain(queue) {
            XCTAssertEqual(event["number"]?.int, Int64(taken))
            taken += 1
            XCTAssertEqual(event["seq"]?.int, Int64(taken))
        }
        XCTAssertEqual(taken, pushed)
    }

    func testEventsOfACollectionThatIsGoneAreNeitherToldNorCounted() throws {
        let queue = try makeQueue(collections: 1, 2)
        queue.push([insert(1), insert(2, collection: 2), insert(3, collection: 3), clientEvent("connection")])
        queue.removeCollection(1)
        let events = try drain(queue)
        XCTAssertEqual(events.map { $0["type"]?.string }, ["change", "connection"])
        XCTAssertEqual(events.map { $0["seq"]?.int }, [1, 2])
        XCTAssertEqual(events[0]["collection"]?.int, 2)
        XCTAssertNil(queue.snapshot(of: 1))
    }

    /// Random changes: at every moment the snapshot is what a host shows that applied the events it took, no more.
    func testTheSnapshotIsWhatTheTakenEventsAddUpTo() throws {
        var random = SeededGenerator(seed: 11)
        let queue = try makeQueue(limit: 100_000, collections: 1)
        var host = HostList()
        var count = 0
        var id: Int64 = 0
        var told = 0
        for _ in 0..<3000 {
            switch random.below(count == 0 ? 2 : 8) {
            case 0, 1, 2:
                let first = random.below(count + 1)
                let items = (0...random.below(3)).map { offset -> CollectionChange.Item in
                    id += 1
                    return item(first + offset, id)
                }
                count += items.count
                queue.push(change(.insert, items))
            case 3: // into places that are not next to each other
                id += 2
                queue.push(change(.insert, [item(0, id - 1), item(count + 1, id)]))
                count += 2
            case 4:
                id += 1
                queue.push(change(.update, [item(random.below(count), id)]))
            case 5:
                queue.push(change(.remove, [item(random.below(count), 0)]))
                count -= 1
            case 6:
                id += 1
                queue.push(change(.move, [item(random.below(count), id, from: random.below(count))]))
            default:
                guard random.below(20) == 0 else { continue }
                queue.push(change(.clear, []))
                count = 0
            }
            for _ in 0..<random.below(3) {
                guard let event = try next(queue) else { break }
                told += 1
                try host.apply(event)
            }
            if random.below(16) == 0 {
                let snapshot = try snapshot(queue)
                XCTAssertEqual(snapshot.sequence, Int64(told))
                XCTAssertEqual(snapshot.items, host.items)
                queue.letGo()
            }
        }
        for event in try drain(queue) { try host.apply(event) }
        XCTAssertEqual(try snapshot(queue).items, host.items)
        XCTAssertEqual(host.items.count, count)
    }

    // MARK: Overflow

    func testAHostThatLagsIsShownTheCollectionAnew() throws {
        let queue = try makeQueue(limit: 16, collections: 1, 2)
        var host = HostList()
        for id in 1...20 as ClosedRange<Int64> { queue.push(insert(id)) } // the last four find no room
        queue.push(.completion(Completion(call: 7, name: "fetch", status: .ok))) // a result always does
        queue.push(clientEvent("connection"))
        queue.push(clientEvent("sync_progress")) // progress can be done without
        var anew: [UInt64: Int] = [:]
        var types: [String?] = []
        var asked: [Int] = []
        while let event = queue.take(timeout: 0, anew: &anew) {
            let text = try JSON.parse(event.text().bytes)
            types.append(text["type"]?.string)
            if text["type"]?.string == "change" { try host.apply(text) }
            XCTAssertEqual(text["seq"]?.int, Int64(types.count))
            guard !anew.isEmpty else { continue }
            // The queue is half empty: it asks once, and what comes for the collection meanwhile counts as let go too.
            XCTAssertEqual(anew, [1: 4])
            asked.append(types.count)
            anew = [:]
            queue.push(insert(21))
        }
        XCTAssertEqual(types, Array(repeating: "change", count: 16) + ["result", "connection"])
        XCTAssertEqual(asked, [10])
        XCTAssertEqual(host.items.count, 16)

        // The engine's answer: what it is and all there is, whatever else fills the queue.
        queue.push((0..<16).map { insert(Int64($0), collection: 2) })
        queue.push([
            .event(.collection(id: 1, type: "overflow", members: [("dropped", Array("5".utf8))])),
            change(.clear, [], source: .overflow),
            change(.insert, (0..<21).map { item($0, Int64(21 - $0)) }, source: .overflow),
        ])
        queue.push(insert(22)) // after the full list, and there is no room again
        let events = try drain(queue).filter { $0["collection"]?.int == 1 }
        XCTAssertEqual(events.map { $0["type"]?.string }, ["overflow", "change", "change"])
        XCTAssertEqual(events.map { $0["action"]?.string }, [nil, "clear", "insert"])
        for event in events.dropFirst() { try host.apply(event) }
        XCTAssertEqual(host.items.compactMap { $0["message_id"]?.int }, (1...21).reversed())
        XCTAssertEqual(try snapshot(queue).items, host.items)
    }

    // MARK: Waiting

    func testInterruptEndsOneWait() throws {
        let queue = try makeQueue()
        queue.interrupt()
        XCTAssertNil(try next(queue, timeout: -1), "an interrupt that comes first is not lost")
        queue.push(clientEvent("connection"))
        queue.interrupt()
        XCTAssertNotNil(try next(queue, timeout: -1), "events go first")
        XCTAssertNil(try next(queue, timeout: -1))
        XCTAssertNil(try next(queue, timeout: 1), "no event, and the time is over")

        let ended = expectation(description: "the wait ended")
        Thread {
            var anew: [UInt64: Int] = [:]
            XCTAssertNil(queue.take(timeout: -1, anew: &anew))
            ended.fulfill()
        }.start()
        queue.interrupt()
        wait(for: [ended], timeout: 60)
    }

    func testAnEventEndsAWait() throws {
        let queue = try makeQueue()
        let taken = expectation(description: "the event came")
        Thread {
            var anew: [UInt64: Int] = [:]
            XCTAssertEqual(queue.take(timeout: -1, anew: &anew)?.sequence, 1)
            taken.fulfill()
        }.start()
        queue.push(clientEvent("connection"))
        wait(for: [taken], timeout: 60)
    }

    func testTheDescriptorIsReadableWhileEventsWaitOnceItWasAskedFor() throws {
        let queue = try makeQueue(collections: 1)
        let hidden = try XCTUnwrap(
            Mirror(reflecting: queue).children.first { $0.label == "descriptor" }?.value as? Int32)
        queue.push([clientEvent("connection"), insert(1)])
        XCTAssertFalse(isReadable(hidden), "nobody asked for it")
        XCTAssertEqual(queue.fileDescriptor, hidden)
        XCTAssertTrue(isReadable(hidden), "events waited when it was asked for")
        _ = try next(queue)
        XCTAssertTrue(isReadable(hidden), "one waits still")
        _ = try next(queue)
        XCTAssertFalse(isReadable(hidden))
        queue.push(insert(1, collection: 9))
        XCTAssertFalse(isReadable(hidden), "an event of a foreign collection does not wait")
        queue.push(insert(2))
        XCTAssertTrue(isReadable(hidden))
        queue.removeCollection(1)
        XCTAssertNil(try next(queue))
        XCTAssertFalse(isReadable(hidden))
    }

    // MARK: One drainer

    private func refusal(_ body: () throws(BorderError) -> Void) -> Status? {
        do throws(BorderError) { try body() } catch { return error.status }
        return nil
    }

    func testOneThreadDrainsAtATime() throws {
        let queue = try makeQueue()
        try queue.beginDraining()
        XCTAssertTrue(queue.isDrainedByThisThread)
        XCTAssertEqual(refusal { () throws(BorderError) in try queue.beginDraining() }, .reentrant)
        let asked = expectation(description: "another thread asked")
        Thread {
            XCTAssertFalse(queue.isDrainedByThisThread)
            do throws(BorderError) {
                try queue.beginDraining()
                XCTFail("two threads drain")
            } catch { XCTAssertEqual(error.status, .busy) }
            asked.fulfill()
        }.start()
        wait(for: [asked], timeout: 60)
        queue.endDraining()
        queue.close()
        XCTAssertEqual(refusal { () throws(BorderError) in try queue.beginDraining() }, .closed)
        try queue.beginDraining(evenClosed: true)
        XCTAssertNil(try next(queue, timeout: -1), "a closed queue is not waited for")
    }

    func testRemovingACollectionWaitsForItsCallback() throws {
        let queue = try makeQueue(collections: 1)
        let counted = Counted()
        try queue.setListener(counted.listener(), collection: 1)
        queue.push(insert(1))
        let isInCallback = DispatchSemaphore(value: 0)
        let ended = expectation(description: "the callback ended")
        let endsInside = Locked(-1)
        Thread {
            var anew: [UInt64: Int] = [:]
            do throws(BorderError) { try queue.beginDraining() } catch { XCTFail(error.message) }
            XCTAssertNotNil(queue.take(timeout: -1, anew: &anew))
            isInCallback.signal()
            while queue.info(of: 1) != nil { sched_yield() } // now the other thread is inside removeCollection
            endsInside.set(counted.ends)
            queue.endDraining()
            ended.fulfill()
        }.start()
        isInCallback.wait()
        queue.removeCollection(1)
        XCTAssertEqual(endsInside.get(), 0, "the listener lived until the callback was over")
        XCTAssertEqual(counted.ends, 1)
        wait(for: [ended], timeout: 60)
    }

    // MARK: Listeners

    func testAListenerIsEndedExactlyOnce() throws {
        let queue = try makeQueue(collections: 1, 2)
        let client = [Counted(), Counted()]
        let collection = [Counted(), Counted(), Counted()]
        let calls = [Counted(), Counted(), Counted()]
        func ends(_ counted: [Counted]) -> [Int] { counted.map(\.ends) }

        try queue.setListener(client[0].listener())
        try queue.setListener(client[1].listener())
        XCTAssertEqual(ends(client), [1, 0], "the one before ends when another takes its place")
        try queue.setListener(collection[0].listener(), collection: 1)
        try queue.setListener(collection[1].listener(), collection: 1)
        try queue.setListener(collection[2].listener(), collection: 2)
        XCTAssertEqual(ends(collection), [1, 0, 0])
        queue.removeCollection(1)
        queue.removeCollection(1)
        XCTAssertEqual(ends(collection), [1, 1, 0])

        let first = try queue.addCall(calls[0].listener())
        _ = try queue.addCall(calls[1].listener())
        queue.forgetCall(try queue.addCall(calls[2].listener()))
        queue.push(.completion(Completion(call: first, name: "connect", status: .ok)))
        queue.push(.completion(Completion(call: first, name: "connect", status: .ok)))
        var anew: [UInt64: Int] = [:]
        queue.take(timeout: 0, anew: &anew)?.caller?.end()
        XCTAssertNil(queue.take(timeout: 0, anew: &anew)?.caller, "a call is answered once")
        XCTAssertEqual(ends(calls), [1, 0, 0], "who was forgotten is its caller's to end")

        queue.endListeners()
        queue.endListeners()
        XCTAssertEqual(ends(client), [1, 1])
        XCTAssertEqual(ends(collection), [1, 1, 1])
        XCTAssertEqual(ends(calls), [1, 1, 0])
    }

    func testOneFetchInADirectionAtATime() throws {
        let queue = try makeQueue(collections: 1)
        let next = EventQueue.FetchKey(collection: 1, isNext: true)
        let call = try queue.addCall(Listener(), fetch: next)
        func refused() -> Status? {
            refusal { () throws(BorderError) in queue.forgetCall(try queue.addCall(Listener(), fetch: next)) }
        }
        XCTAssertEqual(refused(), .duplicatedFetch)
        _ = try queue.addCall(Listener(), fetch: .init(collection: 1, isNext: false))
        queue.push(.completion(Completion(call: call, name: "fetch", status: .network)))
        XCTAssertEqual(refused(), .duplicatedFetch, "until its result is drained")
        XCTAssertEqual(try drain(queue).map { $0["status"]?.int }, [-13])
        XCTAssertNil(refused())
        XCTAssertNil(refused(), "a call that was not made after all leaves the direction free")
    }
}
