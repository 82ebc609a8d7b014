import Foundation
import SyncEngine
import SyncJSON
import SyncModel
import TestSupport
import XCTest

@testable import SyncManager

/// The queue between the engine and the host, with the test as both.
final class EventQueueTests: XCTestCase {
    private func makeQueue(limit: Int = 16, collections: CollectionID...) throws -> EventQueue {
        let queue = try XCTUnwrap(EventQueue(limit: limit, environment: Machine.shared))
        for id in collections {
            let info = CollectionInfo(messages: id, MessageFilter(), viewpoint: 0)
            queue.addCollection(DeliveredLists(info, channelURL: "c", criteria: Array("{}".utf8)))
        }
        return queue
    }

    private func change(
        _ action: CollectionChange.Action, _ items: [CollectionChange.Item], source: EventSource = .sync,
        collection: CollectionID = 1
    ) -> HostOutput {
        let info = CollectionInfo(messages: collection, MessageFilter(), viewpoint: 0)
        return .event(.change(CollectionChange(
            collection: collection, list: .succeeded, action: action, cause: Cause(source), items: items, info: info)))
    }

    private func item(_ index: Int, _ id: Int64, from: Int = -1) -> CollectionChange.Item {
        CollectionChange.Item(
            from: from, index: index, id: "\(id)", json: Array("{\"message_id\":\(id)}".utf8))
    }

    private func insert(_ id: Int64, at index: Int = 0, collection: CollectionID = 1) -> HostOutput {
        change(.insert, [item(index, id)], collection: collection)
    }

    private func clientEvent(_ number: Int = 0) -> HostOutput {
        .event(.client(.connection(.waiting, retryIn: Int64(number))))
    }

    /// The next event as the host reads it; `nil` when none waits.
    private func next(_ queue: EventQueue, timeout: Int32 = 0) throws -> JSON? {
        var wants = DrainWants()
        guard let event = queue.take(timeout: timeout, wants: &wants) else { return nil }
        return try JSON.parse(EventText.text(of: event.event).bytes)
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
            queue.push((0..<portion).map { clientEvent(pushed + $0) })
            pushed += portion
            for _ in 0..<(portion / 2) {
                let event = try XCTUnwrap(try next(queue))
                XCTAssertEqual(event["retry_in"]?.int, Int64(taken))
                taken += 1
                XCTAssertEqual(event["seq"]?.int, Int64(taken))
            }
        }
        for event in try drain(queue) {
            XCTAssertEqual(event["retry_in"]?.int, Int64(taken))
            taken += 1
            XCTAssertEqual(event["seq"]?.int, Int64(taken))
        }
        XCTAssertEqual(taken, pushed)
    }

    func testEventsOfACollectionThatIsGoneAreNeitherToldNorCounted() throws {
        let queue = try makeQueue(collections: 1, 2)
        queue.push([insert(1), insert(2, collection: 2), insert(3, collection: 3), clientEvent()])
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
                queue.push([change(.insert, items)])
            case 3: // into places that are not next to each other
                id += 2
                queue.push([change(.insert, [item(0, id - 1), item(count + 1, id)])])
                count += 2
            case 4:
                id += 1
                queue.push([change(.update, [item(random.below(count), id)])])
            case 5:
                queue.push([change(.remove, [item(random.below(count), 0)])])
                count -= 1
            case 6:
                id += 1
                queue.push([change(.move, [item(random.below(count), id, from: random.below(count))])])
            default:
                guard random.below(20) == 0 else { continue }
                queue.push([change(.clear, [])])
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
            }
        }
        for event in try drain(queue) { try host.apply(event) }
        XCTAssertEqual(try snapshot(queue).items, host.items)
        XCTAssertEqual(host.items.count, count)
    }

    // MARK: Waiting

    func testInterruptEndsOneWait() throws {
        let queue = try makeQueue()
        queue.interrupt()
        XCTAssertNil(try next(queue, timeout: -1), "an interrupt that comes first is not lost")
        queue.push([clientEvent()])
        queue.interrupt()
        XCTAssertNotNil(try next(queue, timeout: -1), "events go first")
        XCTAssertNil(try next(queue, timeout: -1))
        XCTAssertNil(try next(queue, timeout: 1), "no event, and the time is over")

        let ended = expectation(description: "the wait ended")
        Thread {
            var wants = DrainWants()
            XCTAssertNil(queue.take(timeout: -1, wants: &wants))
            ended.fulfill()
        }.start()
        queue.interrupt()
        wait(for: [ended], timeout: 60)
    }

    func testAnEventEndsAWait() throws {
        let queue = try makeQueue()
        let taken = expectation(description: "the event came")
        Thread {
            var wants = DrainWants()
            XCTAssertEqual(queue.take(timeout: -1, wants: &wants)?.event.sequence, 1)
            taken.fulfill()
        }.start()
        queue.push([clientEvent()])
        wait(for: [taken], timeout: 60)
    }

    func testTheDescriptorIsReadableWhileEventsWaitOnceItWasAskedFor() throws {
        let queue = try makeQueue(collections: 1)
        let hidden = try XCTUnwrap(
            Mirror(reflecting: queue).children.first { $0.label == "descriptor" }?.value as? Int32)
        queue.push([clientEvent(), insert(1)])
        XCTAssertFalse(isReadable(hidden), "nobody asked for it")
        XCTAssertEqual(queue.fileDescriptor, hidden)
        XCTAssertTrue(isReadable(hidden), "events waited when it was asked for")
        _ = try next(queue)
        XCTAssertTrue(isReadable(hidden), "one waits still")
        _ = try next(queue)
        XCTAssertFalse(isReadable(hidden))
        queue.push([insert(1, collection: 9)])
        XCTAssertFalse(isReadable(hidden), "an event of a foreign collection does not wait")
        queue.push([insert(2)])
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
        queue.push([insert(1)])
        let isInCallback = DispatchSemaphore(value: 0)
        let ended = expectation(description: "the callback ended")
        let endsInside = Locked(-1)
        Thread {
            var wants = DrainWants()
            do throws(BorderError) { try queue.beginDraining() } catch { XCTFail(error.message) }
            XCTAssertNotNil(queue.take(timeout: -1, wants: &wants))
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
        let calls = [Counted(), Counted()]
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
        queue.push([.completion(Completion(call: first, name: .connect, status: .ok))])
        queue.push([.completion(Completion(call: first, name: .connect, status: .ok))])
        var wants = DrainWants()
        queue.take(timeout: 0, wants: &wants)?.caller?.end()
        XCTAssertNil(queue.take(timeout: 0, wants: &wants)?.caller, "a call is answered once")
        XCTAssertEqual(ends(calls), [1, 0])

        queue.endListeners()
        queue.endListeners()
        XCTAssertEqual(ends(client), [1, 1])
        XCTAssertEqual(ends(collection), [1, 1, 1])
        XCTAssertEqual(ends(calls), [1, 1])
    }
}
