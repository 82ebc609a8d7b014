import CCurl
import Glibc
import SyncThreads

/// libcurl, loaded and initialised: those of its functions that are used here.
///
/// It is not linked. It depends on thirty libraries, and loading them takes longer than all else a new process does
/// before it shows its first page from the cache. It is never unloaded or cleaned up, since the host may use libcurl as
/// well.
struct Curl: @unchecked Sendable {
    typealias Handle = UnsafeMutableRawPointer
    typealias HeaderList = UnsafeMutablePointer<curl_slist>

    let easyInit: @convention(c) () -> Handle?
    let easyCleanup: @convention(c) (Handle?) -> Void
    let easyReset: @convention(c) (Handle?) -> Void
    private let easyStrerror: @convention(c) (CURLcode) -> UnsafePointer<CChar>?
    let easyReceive: @convention(c) (Handle?, UnsafeMutableRawPointer?, Int, UnsafeMutablePointer<Int>?) -> CURLcode
    let easyPause: @convention(c) (Handle?, Int32) -> CURLcode
    let easySend: @convention(c) (Handle?, UnsafeRawPointer?, Int, UnsafeMutablePointer<Int>?) -> CURLcode
    let listAppend: @convention(c) (HeaderList?, UnsafePointer<CChar>?) -> HeaderList?
    let listFree: @convention(c) (HeaderList?) -> Void
    let multiInit: @convention(c) () -> Handle?
    let multiCleanup: @convention(c) (Handle?) -> CURLMcode
    let multiAdd: @convention(c) (Handle?, Handle?) -> CURLMcode
    let multiRemove: @convention(c) (Handle?, Handle?) -> CURLMcode
    let multiAct: @convention(c) (Handle?, curl_socket_t, Int32, UnsafeMutablePointer<Int32>?) -> CURLMcode
    let multiInfoRead: @convention(c) (Handle?, UnsafeMutablePointer<Int32>?) -> UnsafeMutablePointer<CURLMsg>?
    let mimeInit: @convention(c) (Handle?) -> OpaquePointer?
    let mimeFree: @convention(c) (OpaquePointer?) -> Void
    let mimeAddPart: @convention(c) (OpaquePointer?) -> OpaquePointer?
    let mimeName: @convention(c) (OpaquePointer?, UnsafePointer<CChar>?) -> CURLcode
    let mimeData: @convention(c) (OpaquePointer?, UnsafePointer<CChar>?, Int) -> CURLcode
    let mimeDataCallback: @convention(c) (
        OpaquePointer?, curl_off_t, curl_read_callback?, curl_seek_callback?, curl_free_callback?,
        UnsafeMutableRawPointer?
    ) -> CURLcode
    let mimeFileName: @convention(c) (OpaquePointer?, UnsafePointer<CChar>?) -> CURLcode
    let mimeType: @convention(c) (OpaquePointer?, UnsafePointer<CChar>?) -> CURLcode
    // Variadic; the shims call them.
    let setOption: OpaquePointer
    let getInfo: OpaquePointer
    let setMultiOption: OpaquePointer

    // MARK: Loading

    /// The libcurl of this process, loaded by the first call that succeeds. Loading takes milliseconds, or seconds from
    /// a cold disk.
    static func shared() throws(NetworkFailure) -> Curl {
        _ = holdsForks
        return try monitor.locked { () throws(NetworkFailure) in
            if let loaded { return loaded }
            let curl = try Curl(libraries: ["libcurl.so.4", "libcurl-gnutls.so.4"])
            loaded = curl
            return curl
        }
    }

    private static let monitor = Monitor()
    nonisolated(unsafe) private static var loaded: Curl?

    /// A fork during the loading would give the child a dynamic loader that is half changed, so the fork waits. It does
    /// not wait for ever: the forking thread may hold the loader's own lock, in a constructor of a library.
    private static let holdsForks: Void = {
        pthread_atfork({ Curl.monitor.hold(seconds: 2) }, { Curl.monitor.release() }, { Curl.monitor.release() })
    }()

    /// Loads the first of these libraries that exists. Each name has stood for one binary interface since 2006; the
    /// second is Debian's, of a build with another TLS library.
    init(libraries names: [String]) throws(NetworkFailure) {
        var failures: [NetworkFailure] = []
        for name in names {
            guard let library = dlopen(name, RTLD_NOW | RTLD_LOCAL) else {
                failures.append(Curl.loaderFailure)
                continue
            }
            do throws(NetworkFailure) {
                self = try Curl(library)
                return
            } catch {
                dlclose(library)
                failures.append(error)
            }
        }
        // The first name is the usual one.
        throw failures.first ?? NetworkFailure(.notInstalled, "no library was named")
    }

    private init(_ library: UnsafeMutableRawPointer) throws(NetworkFailure) {
        let initialise = try Curl.found(shim_find_curl_global_init(library))
        easyInit = try Curl.found(shim_find_curl_easy_init(library))
        easyCleanup = try Curl.found(shim_find_curl_easy_cleanup(library))
        easyReset = try Curl.found(shim_find_curl_easy_reset(library))
        easyStrerror = try Curl.found(shim_find_curl_easy_strerror(library))
        easyReceive = try Curl.found(shim_find_curl_easy_recv(library))
        easyPause = try Curl.found(shim_find_curl_easy_pause(library))
        easySend = try Curl.found(shim_find_curl_easy_send(library))
        listAppend = try Curl.found(shim_find_curl_slist_append(library))
        listFree = try Curl.found(shim_find_curl_slist_free_all(library))
        multiInit = try Curl.found(shim_find_curl_multi_init(library))
        multiCleanup = try Curl.found(shim_find_curl_multi_cleanup(library))
        multiAdd = try Curl.found(shim_find_curl_multi_add_handle(library))
        multiRemove = try Curl.found(shim_find_curl_multi_remove_handle(library))
        multiAct = try Curl.found(shim_find_curl_multi_socket_action(library))
        multiInfoRead = try Curl.found(shim_find_curl_multi_info_read(library))
        mimeInit = try Curl.found(shim_find_curl_mime_init(library))
        mimeFree = try Curl.found(shim_find_curl_mime_free(library))
        mimeAddPart = try Curl.found(shim_find_curl_mime_addpart(library))
        mimeName = try Curl.found(shim_find_curl_mime_name(library))
        mimeData = try Curl.found(shim_find_curl_mime_data(library))
        mimeDataCallback = try Curl.found(shim_find_curl_mime_data_cb(library))
        mimeFileName = try Curl.found(shim_find_curl_mime_filename(library))
        mimeType = try Curl.found(shim_find_curl_mime_type(library))
        setOption = try Curl.found(shim_find_curl_easy_setopt(library))
        getInfo = try Curl.found(shim_find_curl_easy_getinfo(library))
        setMultiOption = try Curl.found(shim_find_curl_multi_setopt(library))
        let code = initialise(Int(CURL_GLOBAL_ALL))
        guard code == CURLE_OK else { throw failure(code) }
    }

    private static func found<T>(_ function: T?) throws(NetworkFailure) -> T {
        guard let function else { throw loaderFailure }
        return function
    }

    /// The dynamic loader's message, which names the library and what is missing.
    private static var loaderFailure: NetworkFailure {
        NetworkFailure(.notInstalled, dlerror().map { String(cString: $0) } ?? "libcurl cannot be loaded")
    }

    // MARK: Use

    /// The failure that libcurl reports; `detail` is its error buffer, empty when it has only the code.
    func failure(_ code: CURLcode, detail: String = "") -> NetworkFailure {
        let message = detail.isEmpty ? easyStrerror(code).map { String(cString: $0) } ?? "" : detail
        return NetworkFailure(curl: code, message: message)
    }
}
