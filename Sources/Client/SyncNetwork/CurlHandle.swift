import CCurl
import SyncWebSocket

/// A libcurl easy handle with the options that all connections of the library share.
///
/// libcurl copies the strings and header lists are kept here, so options may be temporary. The first option that
/// libcurl refuses is kept in `refusal`, which must be checked before the handle is used.
final class CurlHandle {
    let curl: Curl
    let pointer: Curl.Handle
    private(set) var refusal: NetworkFailure?
    private var headerList: Curl.HeaderList?
    private var form: OpaquePointer?
    private let errorText: UnsafeMutablePointer<CChar>

    init?(_ curl: Curl) {
        guard let pointer = curl.easyInit() else { return nil }
        self.curl = curl
        self.pointer = pointer
        errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        errorText.pointee = 0
        prepare()
    }

    deinit {
        curl.easyCleanup(pointer)
        curl.listFree(headerList)
        curl.mimeFree(form)
        errorText.deallocate()
    }

    /// Resets the handle for the next exchange, but keeps its memory.
    func reset() {
        curl.easyReset(pointer)
        curl.listFree(headerList)
        headerList = nil
        curl.mimeFree(form)
        form = nil
        errorText.pointee = 0
        refusal = nil
        prepare()
    }

    /// What went wrong on this handle.
    func failure(_ code: CURLcode) -> NetworkFailure {
        curl.failure(code, detail: String(cString: errorText))
    }

    private func prepare() {
        set(CURLOPT_ERRORBUFFER, pointer: errorText)
        // Signals belong to the host: no alarm for timeouts, no change of SIGPIPE.
        set(CURLOPT_NOSIGNAL, 1)
        set(CURLOPT_PROTOCOLS_STR, "http,https")
        set(CURLOPT_TCP_NODELAY, 1)
        // The headers of a proxy's CONNECT answer do not belong to the answer of the request.
        set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        // A name lookup that hangs must not hold the thread when its transfer is given up.
        set(CURLOPT_QUICK_EXIT, 1)
        // The host's child programs must not inherit our connections. And the system buffers little that is not sent
        // yet, so that progress shows what the network has taken.
        check(shim_curl_open_sockets(curl.setOption, pointer))
    }

    /// Goes on with a transfer that was paused because its owner took nothing; may call the owner before it returns.
    func readOn() -> CURLcode { curl.easyPause(pointer, CURLPAUSE_CONT) }

    /// Goes on with a form whose part had no bytes yet. libcurl notes at once that the part pauses, but pauses the
    /// transfer only when what it has read of the form before is sent. Until then going on would change nothing, and
    /// the part would pause for ever; so the transfer is paused first.
    func sendOn() -> CURLcode {
        let code = curl.easyPause(pointer, CURLPAUSE_SEND)
        return code == CURLE_OK ? readOn() : code
    }

    /// Sets the URL and the trusted roots.
    ///
    /// Proxies named by the environment are used, except for this machine, to which there is no proxy on the way.
    func setTarget(url: String, caFile: String?) {
        set(CURLOPT_URL, url)
        // Parts of a path are ids, so `..` must not be resolved to the level above.
        set(CURLOPT_PATH_AS_IS, 1)
        if CurlHandle.isLoopback(url) { set(CURLOPT_PROXY, "") }
        if let caFile { set(CURLOPT_CAINFO, caFile) }
    }

    static func isLoopback(_ url: String) -> Bool {
        let bytes = Array(url.utf8)
        guard let scheme = ["http://", "https://"].first(where: { bytes.starts(with: $0.utf8) }) else { return false }
        let authority = bytes.dropFirst(scheme.utf8.count).prefix { !"/?#".utf8.contains($0) }
        return ["127.0.0.1", "localhost", "[::1]"].contains { name in
            authority.elementsEqual(name.utf8) || authority.starts(with: (name + ":").utf8)
        }
    }

    /// Adds a header field; an empty value is sent as such.
    func addHeader(_ name: String, _ value: String) {
        guard HTTPSyntax.isToken(name.utf8), HTTPSyntax.isFieldValue(value.utf8) else {
            refuse(NetworkFailure(.protocolError, "a header holds a byte that HTTP does not allow"))
            return
        }
        // libcurl's spelling: "Name;" is a field without value, "Name:" takes libcurl's own field away.
        append(value.isEmpty ? name + ";" : name + ": " + value)
    }

    /// Makes the body a form whose file is read by `take`, which gets `context`. A read that begins again goes through
    /// `seek` first.
    func setForm(
        _ content: HTTPForm, context: UnsafeMutableRawPointer, take: @escaping curl_read_callback,
        seek: @escaping curl_seek_callback
    ) {
        let texts = content.fields.flatMap { [$0.0, $0.1] } + [content.part, content.fileName, content.type]
        guard let form = curl.mimeInit(pointer), !texts.contains(where: { $0.utf8.contains(0) }) else {
            refuse(NetworkFailure(.protocolError, "the form cannot be made: a text has a NUL byte, or memory is short"))
            return
        }
        self.form = form
        for (name, value) in content.fields {
            let part = curl.mimeAddPart(form)
            check(curl.mimeName(part, name))
            check(curl.mimeData(part, value, value.utf8.count))
        }
        let part = curl.mimeAddPart(form)
        check(curl.mimeName(part, content.part))
        check(curl.mimeDataCallback(part, curl_off_t(content.stamp.size), take, seek, nil, context))
        check(curl.mimeFileName(part, content.fileName))
        check(curl.mimeType(part, content.type))
        set(CURLOPT_MIMEPOST, pointer: UnsafeRawPointer(form))
    }

    /// Keeps libcurl from adding a header field of its own.
    func suppressHeader(_ name: String) { append(name + ":") }

    /// Hands the collected header fields to libcurl.
    func useHeaders() { set(CURLOPT_HTTPHEADER, pointer: headerList) }

    private func append(_ line: String) {
        guard let list = curl.listAppend(headerList, line) else {
            refuse(NetworkFailure(.cannotConnect, "out of memory"))
            return
        }
        headerList = list
    }

    func set(_ option: CURLoption, _ value: Int) { check(shim_curl_set_long(curl.setOption, pointer, option, value)) }

    /// Sets an option that may be refused without harm.
    func trySet(_ option: CURLoption, _ value: Int) { _ = shim_curl_set_long(curl.setOption, pointer, option, value) }

    func set(_ option: CURLoption, size: Int) {
        check(shim_curl_set_off(curl.setOption, pointer, option, curl_off_t(size)))
    }

    func set(_ option: CURLoption, _ callback: @escaping shim_curl_data_callback) {
        check(shim_curl_set_data_callback(curl.setOption, pointer, option, callback))
    }

    /// `begin` is called, with `context`, each time before the request is sent on a connection.
    func setBeginning(context: UnsafeMutableRawPointer, _ begin: @escaping curl_prereq_callback) {
        check(shim_curl_set_prerequest(curl.setOption, pointer, begin))
        set(CURLOPT_PREREQDATA, pointer: context)
    }

    func set(_ option: CURLoption, _ value: String) {
        // C would take the part before a NUL for the whole text.
        guard !value.utf8.contains(0) else {
            refuse(NetworkFailure(.protocolError, "a NUL byte in the URL, the method or a file name"))
            return
        }
        check(shim_curl_set_string(curl.setOption, pointer, option, value))
    }

    func set(_ option: CURLoption, pointer value: UnsafeRawPointer?) {
        check(shim_curl_set_pointer(curl.setOption, pointer, option, value))
    }

    /// The status of the last answer; 0 if there was none.
    var responseStatus: Int {
        var status = 0
        return shim_curl_get_long(curl.getInfo, pointer, CURLINFO_RESPONSE_CODE, &status) == CURLE_OK ? status : 0
    }

    /// The socket of a handle that only connects, `nil` if it has none. It belongs to libcurl.
    var activeSocket: curl_socket_t? {
        var socket = curl_socket_t(-1)
        let code = shim_curl_get_socket(curl.getInfo, pointer, CURLINFO_ACTIVESOCKET, &socket)
        return code == CURLE_OK && socket >= 0 ? socket : nil
    }

    func check(_ code: CURLcode) {
        if code != CURLE_OK { refuse(curl.failure(code)) }
    }

    private func refuse(_ failure: NetworkFailure) {
        if refusal == nil { refusal = failure }
    }
}
