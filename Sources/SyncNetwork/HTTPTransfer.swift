import CCurl
import Glibc

/// One HTTP exchange on the network thread.
final class HTTPTransfer {
    let id: UInt64
    let handle: UnsafeMutableRawPointer
    private let request: HTTPRequest
    private var headerList: UnsafeMutablePointer<curl_slist>?
    private var headers: [(String, String)] = []
    private var body: [UInt8] = []
    private var isTooLarge = false
    let completion: @Sendable (Result<HTTPResponse, NetworkFailure>) -> Void

    init?(id: UInt64, _ request: HTTPRequest, completion: @escaping @Sendable (Result<HTTPResponse, NetworkFailure>) -> Void) {
        guard let handle = curl_easy_init() else { return nil }
        self.id = id
        self.handle = handle
        self.request = request
        self.completion = completion
        let context = Unmanaged.passUnretained(self).toOpaque()
        _ = shim_curl_setopt_string(handle, CURLOPT_URL, request.url)
        _ = shim_curl_setopt_string(handle, CURLOPT_CUSTOMREQUEST, request.method)
        _ = shim_curl_setopt_string(handle, CURLOPT_PROTOCOLS_STR, "http,https")
        _ = shim_curl_setopt_long(handle, CURLOPT_NOSIGNAL, 1)
        _ = shim_curl_setopt_long(handle, CURLOPT_TCP_NODELAY, 1)
        _ = shim_curl_setopt_long(handle, CURLOPT_HTTP_VERSION, 4)  // CURL_HTTP_VERSION_2TLS: a macro on an enum
        _ = shim_curl_setopt_long(handle, CURLOPT_TIMEOUT_MS, request.timeoutMS)
        _ = shim_curl_setopt_long(handle, CURLOPT_CONNECTTIMEOUT_MS, request.timeoutMS)
        _ = shim_curl_setopt_string(handle, CURLOPT_ACCEPT_ENCODING, "")
        if let caFile = request.caFile { _ = shim_curl_setopt_string(handle, CURLOPT_CAINFO, caFile) }
        if let body = request.body {
            _ = shim_curl_setopt_off(handle, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count))
            body.withUnsafeBytes { raw in
                _ = shim_curl_setopt_pointer(handle, CURLOPT_COPYPOSTFIELDS, raw.baseAddress ?? UnsafeRawPointer(handle))
            }
        }
        // Without this, curl waits up to a second for a "100 Continue" that few servers send.
        headerList = curl_slist_append(headerList, "Expect:")
        for (name, value) in request.headers where !value.isEmpty && !value.utf8.contains(10) && !value.utf8.contains(13) {
            headerList = curl_slist_append(headerList, "\(name): \(value)")
        }
        _ = shim_curl_setopt_pointer(handle, CURLOPT_HTTPHEADER, headerList)
        _ = shim_curl_setopt_data_callback(handle, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
            guard let bytes, let context else { return 0 }
            let transfer = Unmanaged<HTTPTransfer>.fromOpaque(context).takeUnretainedValue()
            return transfer.take(UnsafeRawBufferPointer(start: bytes, count: size * count))
        }
        _ = shim_curl_setopt_pointer(handle, CURLOPT_WRITEDATA, context)
        _ = shim_curl_setopt_data_callback(handle, CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
            guard let bytes, let context else { return 0 }
            let transfer = Unmanaged<HTTPTransfer>.fromOpaque(context).takeUnretainedValue()
            transfer.takeHeader(UnsafeRawBufferPointer(start: bytes, count: size * count))
            return size * count
        }
        _ = shim_curl_setopt_pointer(handle, CURLOPT_HEADERDATA, context)
    }

    deinit {
        curl_easy_cleanup(handle)
        curl_slist_free_all(headerList)
    }

    private func take(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard bytes.count <= request.responseLimit - body.count else {
            isTooLarge = true
            return 0
        }
        body.append(contentsOf: bytes)
        return bytes.count
    }

    private func takeHeader(_ bytes: UnsafeRawBufferPointer) {
        if bytes.starts(with: "HTTP/".utf8) { headers = [] }
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { return }
        let name = String(decoding: bytes[..<colon], as: UTF8.self).lowercased()
        let value = bytes[(colon + 1)...].drop { $0 == 32 || $0 == 9 }
        let end = value.lastIndex { $0 != 13 && $0 != 10 && $0 != 32 }
        headers.append((name, end.map { String(decoding: value[...$0], as: UTF8.self) } ?? ""))
    }

    func finish(_ code: CURLcode) {
        guard code == CURLE_OK else { return completion(.failure(isTooLarge ? tooLarge : NetworkFailure(curl: code))) }
        var status = 0
        _ = shim_curl_getinfo_long(handle, CURLINFO_RESPONSE_CODE, &status)
        completion(.success(HTTPResponse(status: status, headers: headers, body: body)))
    }

    private var tooLarge: NetworkFailure { NetworkFailure(.tooLarge, "the answer is larger than \(request.responseLimit) bytes") }
}

extension NetworkFailure {
    init(curl code: CURLcode) {
        let text = String(cString: curl_easy_strerror(code))
        switch code {
        case CURLE_OPERATION_TIMEDOUT: self.init(.timedOut, text)
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CACERT_BADFILE: self.init(.tls, text)
        case CURLE_COULDNT_CONNECT, CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: self.init(.cannotConnect, text)
        default: self.init(.protocolError, text)
        }
    }
}
