import XCTest

@testable import SyncNetwork

final class CurlTests: XCTestCase {
    private func failure(loading names: String...) throws -> NetworkFailure {
        do throws(NetworkFailure) {
            _ = try Curl(libraries: names)
        } catch {
            return error
        }
        return try XCTUnwrap(nil, "\(names) was taken for libcurl")
    }

    func testAMissingLibraryIsNamedTheUsualOneFirst() throws {
        let failure = try failure(loading: "libcurl-that-is-not-there.so.4", "libcurl-neither.so.4")
        XCTAssertEqual(failure.kind, .notInstalled)
        XCTAssertTrue(failure.message.contains("libcurl-that-is-not-there.so.4"), failure.message)
    }

    func testALibraryWithoutItsFunctionsIsRefusedByTheFirstMissingOne() throws {
        let failure = try failure(loading: "libsqlite3.so.0")
        XCTAssertEqual(failure.kind, .notInstalled)
        XCTAssertTrue(failure.message.contains("curl_global_init"), failure.message)
    }

    func testTheNextNameIsTried() throws {
        let names = ["libcurl-that-is-not-there.so.4", "libsqlite3.so.0", "libcurl.so.4"]
        XCTAssertNotNil(CurlHandle(try Curl(libraries: names)))
    }
}
