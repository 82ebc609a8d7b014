import Foundation
import SyncModel
import XCTest

@testable import SyncManager

/// Handles that are gone, never were, or are of another kind.
final class RegistryTests: XCTestCase {
    private var directory = ""
    private var clients: [Client] = []

    override func setUpWithError() throws {
        directory = NSTemporaryDirectory() + "syncmanager-registry-\(UUID().uuidString)"
    }

    override func tearDownWithError() throws {
        for client in clients { try client.close() }
        clients = []
        try FileManager.default.removeItem(atPath: directory)
    }

    /// A client that nobody tells to connect.
    private func makeClient(_ user: String) throws -> Client {
        let text = #"{"app_id": "app", "user_id": "\#(user)", "data_dir": "\#(directory)"}"#
        let client = try Client(try Configuration(Array(text.utf8)))
        clients.append(client)
        return client
    }

    private func clientStatus(_ handle: OpaquePointer?) -> Status? {
        do throws(BorderError) { _ = try Registry.client(handle) } catch { return error.status }
        return nil
    }

    private func collectionStatus(_ handle: OpaquePointer?) -> Status? {
        do throws(BorderError) { _ = try Registry.collection(handle) } catch { return error.status }
        return nil
    }

    func testAHandleIsFoundUntilItIsRemovedAndItsNumberNeverComesBack() throws {
        let client = try makeClient("a")
        let handle = try XCTUnwrap(Registry.add(client))
        XCTAssertTrue(try Registry.client(handle) === client)
        Registry.remove(handle)
        XCTAssertEqual(clientStatus(handle), .invalidHandle)
        let again = try XCTUnwrap(Registry.add(client))
        XCTAssertNotEqual(again, handle)
        XCTAssertEqual(clientStatus(handle), .invalidHandle, "a stale handle does not find its successor")
        Registry.remove(handle)
        XCTAssertNil(clientStatus(again), "removing a stale handle removes nothing else")
    }

    func testForeignPointersAreNotFollowed() throws {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: 64, alignment: 16)
        defer { memory.deallocate() }
        let handle = try XCTUnwrap(Registry.add(try makeClient("a")))
        let foreign: [OpaquePointer?] = [
            nil, OpaquePointer(memory), OpaquePointer(bitPattern: 1), OpaquePointer(bitPattern: UInt.max),
            OpaquePointer(bitPattern: UInt(bitPattern: handle) + 1),
        ]
        for pointer in foreign {
            XCTAssertEqual(clientStatus(pointer), .invalidHandle)
            XCTAssertEqual(collectionStatus(pointer), .invalidHandle)
        }
    }

    func testAHandleOfAnotherKindIsRefused() throws {
        let client = try makeClient("a")
        let handle = try XCTUnwrap(Registry.add(client))
        let collection = CollectionHandle(client: client, id: 1, isMessages: false)
        let collectionHandle = try XCTUnwrap(Registry.add(collection))
        XCTAssertEqual(clientStatus(collectionHandle), .invalidHandle)
        XCTAssertEqual(collectionStatus(handle), .invalidHandle)
        XCTAssertTrue(try Registry.collection(collectionHandle) === collection)
        XCTAssertThrowsError(try collection.checkMessages()) { error in
            XCTAssertEqual((error as? BorderError)?.status, .invalidHandle)
        }
    }

    func testAClientTakesItsCollectionsWithItAndNobodyElses() throws {
        let (first, second) = (try makeClient("a"), try makeClient("b"))
        func handles(_ client: Client) throws -> (OpaquePointer, OpaquePointer) {
            let collection = CollectionHandle(client: client, id: client.nextCollectionID(), isMessages: true)
            return (try XCTUnwrap(Registry.add(client)), try XCTUnwrap(Registry.add(collection)))
        }
        let (gone, stays) = (try handles(first), try handles(second))
        Registry.removeAll(of: first)
        XCTAssertEqual(clientStatus(gone.0), .invalidHandle)
        XCTAssertEqual(collectionStatus(gone.1), .invalidHandle)
        XCTAssertNil(clientStatus(stays.0))
        XCTAssertNil(collectionStatus(stays.1))
    }
}
