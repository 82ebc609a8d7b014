// Fills a cache through engine and service without a network: their own HTTP requests are answered with the pages of a
// file, into a real cache where the library finds it.
//
// usage: sync-benchmark DATA_DIR PAGES COUNT      Prints one JSON object.
import Glibc
import SyncEngine
import SyncModel
import SyncSendbird
import SyncStore

func fail(_ message: String) -> Never {
    let line = Array((message + "\n").utf8)
    write(STDERR_FILENO, line, line.count)
    exit(1)
}

func seconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// The service's side: one channel, pages from a file.
struct PageFile {
    private let file: UnsafeMutablePointer<FILE>
    private var line: UnsafeMutablePointer<CChar>?
    private var capacity = 0
    var left: Int

    init(path: String, count: Int) {
        guard let file = fopen(path, "r") else { fail("\(path) cannot be read") }
        self.file = file
        left = count
    }

    mutating func next() -> [UInt8] {
        guard left > 0 else { return Array(#"{"messages":[]}"#.utf8) }
        left -= 100
        let length = getline(&line, &capacity, file)
        guard length > 0, let line else { fail("the file has too few pages") }
        return [UInt8](UnsafeRawBufferPointer(start: line, count: length))
    }
}

/// Answers every request at once, by its path.
final class PageTransport: Transport {
    var pages: PageFile
    private(set) var requests = 0
    private(set) var inputs: [TransportInput] = []

    init(_ pages: PageFile) { self.pages = pages }

    func takeInputs() -> [TransportInput] {
        defer { inputs = [] }
        return inputs
    }

    func carryOut(_ command: TransportCommand, of owner: TransportOwner) {
        switch command {
        case .send(let request, let id): answer(request, id)
        case .openSocket(let socket, _, _): open(socket)
        case .cancel, .discard, .sendText, .closeSocket, .openStream, .closeStream: break
        }
    }

    private func answer(_ request: TransportRequest, _ id: UInt64) {
        let channel = #"{"channel_url":"benchmark","name":"Benchmark","created_at":1700000000}"#
        let path = request.url.split(separator: "?", maxSplits: 1)
        let query = path.count > 1 ? String(path[1]) : ""
        let body: [UInt8]
        switch String(path.first?.split(separator: "/").last ?? "") {
        case "my_group_channels": body = Array(#"{"channels":[\#(channel)],"next":""}"#.utf8)
        case "benchmark": body = Array(channel.utf8)
        case "messages":
            requests += 1
            body = asksNewer(query) ? Array(#"{"messages":[]}"#.utf8) : pages.next()
        case "messages_gap": body = Array(#"{"is_huge_gap":false,"next_messages":[],"next_hasmore":false}"#.utf8)
        default: body = Array(#"{"updated":[],"deleted":[],"has_more":false,"next":"t"}"#.utf8)
        }
        inputs.append(.response(id: id, TransportResponse(status: 200, headers: [], body: body)))
    }

    private func asksNewer(_ query: String) -> Bool {
        query.split(separator: "&").contains { $0 == "prev_limit=0" }
    }

    private func open(_ socket: UInt64) {
        inputs.append(.socketOpened(socket))
        let login = #"LOGI{"key":"k","user_id":"user","login_ts":1760000100000,"ping_interval":3600}"#
        inputs.append(.socketText(socket, Array(login.utf8)))
    }
}

func run() throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 4, let count = Int(arguments[3]) else {
        fail("usage: sync-benchmark DATA_DIR PAGES COUNT")
    }
    var directory = arguments[1]
    for part in ["", "/benchmark", "/user"] {
        directory += part
        mkdir(directory, 0o700)
    }
    let transport = PageTransport(PageFile(path: arguments[2], count: count))
    let start = seconds()
    var now: Moment { Moment(monotonic: Int64(seconds() * 1000), wall: Int64(time(nil)) * 1000) }

    let cache = try CacheStore(directory: directory, now: now.wall)
    let intents = try IntentStore(directory: directory)
    let service = SendbirdService(
        appID: "benchmark", userID: "user", apiHost: nil, wsHost: nil, libraryVersion: "0")
    let core = SyncCore(
        options: EngineOptions(userID: "user", accessToken: "token"), cache: cache, intents: intents, service: service,
        transport: transport, now: now)
    core.handle(.call(.host(1), .connect), now: now)
    core.handle(
        .post(.openMessageCollection(id: .host(1), channelURL: "benchmark", filter: MessageFilter(), viewpoint: .max)),
        now: now)
    var inputs = transport.takeInputs()
    while !inputs.isEmpty {
        for input in inputs { core.receive(input, of: .service, now: now) }
        _ = core.takeOutputs()
        inputs = transport.takeInputs()
    }
    core.close(now: now)
    let key = try cache.channelKey("benchmark")
    let chunks = try cache.chunks(channel: key)
    cache.close()
    intents.close()
    let elapsed = seconds() - start
    // Everything came in, and the engine knows that it has it all.
    guard transport.pages.left <= 0, chunks.count == 1, chunks.first?.reachedFirst == true else {
        fail("the sync did not complete")
    }
    print("{\"messages\":\(count),\"requests\":\(transport.requests),\"seconds\":\(elapsed)}")
}

do { try run() } catch { fail("\(error)") }
