import XCTest

@testable import SyncNetwork

final class CurlTests: XCTestCase {
    private func failure(loading name: String) throws -> NetworkFailure {
        do throws(NetworkFailure) {
            _ = try Curl(library: name)
        } catch {
            return error
        }
        return try XCTUnwrap(nil, "\(name) was taken for libcurl")
    }

    func testAMissingLibraryIsNamed() throws {
        let failure = try failure(loading: "libcurl-that-is-not-there.so.4")
        XCTAssertEqual(failure.kind, .cannotConnect)
        XCTAssertTrue(failure.message.contains("libcurl-that-is-not-there.so.4"), failure.message)
    }

    func testALibraryWithoutItsFunctionsIsRefusedByTheFirstMissingOne() throws {
        let failure = try failure(loading: "libsqlite3.so.0")
        XCTAssertEqual(failure.kind, .cannotConnect)
        XCTAssertTrue(failure.message.contains("curl_global_init"), failure.message)
    }

    func testLibcurlCanBeLoadedAgain() throws {
        _ = try Curl()
        XCTAssertNotNil(CurlHandle(try Curl()))
    }
}
