import CCurl
import XCTest

@testable import SyncNetwork

final class CurlTests: NetworkTestCase {
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

    /// What libcurl asks for while it sends a form.
    private struct Asked {
        /// How often for bytes of the file.
        var bytes = 0
        var socket = curl_socket_t(-1)
    }

    private func form(on handle: CurlHandle, _ asked: UnsafeMutablePointer<Asked>) {
        let content = HTTPForm(
            fields: [("a", "b")], part: "file", fileName: "f", type: "text/plain", path: "",
            stamp: DiskFile.Stamp(size: 1, modified: 0, inode: 0))
        handle.setForm(
            content, context: asked,
            take: { place, _, _, context in
                guard let place, let asked = context?.assumingMemoryBound(to: Asked.self) else { return 0 }
                asked.pointee.bytes += 1
                guard asked.pointee.bytes > 1 else { return Int(CURL_READFUNC_PAUSE) }
                place.pointee = 65
                return 1
            },
            seek: { _, _, _ in CURL_SEEKFUNC_CANTSEEK })
    }

    /// The file has no bytes when libcurl first asks, and gets them before libcurl asks again: while libcurl sends what
    /// precedes the file.
    func testAFormGoesOnWhoseFileWasReadMeanwhile() throws {
        let server = try serve { connection in
            if connection.readRequest() != nil { connection.respond() }
        }
        let curl = try Curl.shared()
        let multi = try XCTUnwrap(curl.multiInit())
        defer { _ = curl.multiCleanup(multi) }
        let asked = UnsafeMutablePointer<Asked>.allocate(capacity: 1)
        asked.initialize(to: Asked())
        defer { asked.deallocate() }
        _ = shim_curl_multi_set_pointer(curl.setMultiOption, multi, CURLMOPT_SOCKETDATA, asked)
        _ = shim_curl_multi_set_socket_callback(curl.setMultiOption, multi) { _, socket, _, context, _ in
            context?.assumingMemoryBound(to: Asked.self).pointee.socket = socket
            return 0
        }
        let handle = try XCTUnwrap(CurlHandle(curl))
        handle.setTarget(url: server.http, caFile: nil)
        form(on: handle, asked)
        handle.suppressHeader("Expect")
        handle.useHeaders()
        XCTAssertNil(handle.refusal)
        XCTAssertEqual(curl.multiAdd(multi, handle.pointer), CURLM_OK)
        defer { _ = curl.multiRemove(multi, handle.pointer) }
        var (running, goesOn) = (Int32(1), false)
        let deadline = Date().addingTimeInterval(20)
        while running > 0, Date() < deadline {
            XCTAssertEqual(curl.multiAct(multi, CURL_SOCKET_TIMEOUT, 0, &running), CURLM_OK)
            if asked.pointee.bytes == 1, !goesOn {
                XCTAssertEqual(handle.sendOn(), CURLE_OK)
                goesOn = true
            }
            _ = curl.multiAct(multi, asked.pointee.socket, 0, &running)
        }
        XCTAssertEqual(asked.pointee.bytes, 2)
        XCTAssertEqual(handle.responseStatus, 200)
    }
}
