// Fills a cache through engine and service without a network: their own HTTP requests are answered with the pages of a
// file, into a real cache where the library finds it.
//
// usage: sync-benchmark DATA_DIR PAGES COUNT [WORD...]      Prints one JSON object. With words what came in is indexed
// afterwards, and the first page of results of each is looked for, as a collection does it.
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

/// Of this process.
func processorSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// Does what is due until nothing is, for the processor's time it takes and that of the longest part.
func advance(_ core: SyncCore) -> (seconds: Double, slices: Int, longest: Double) {
    var (slices, longest) = (0, 0.0)
    let start = processorSeconds()
    while let due = core.nextDeadline {
        let wait = Double(due) / 1000 - seconds()
        if wait > 1 { break }
        if wait > 0 { usleep(UInt32(wait * 1e6) + 100) }
        let began = seconds()
        core.advance(now: Moment(monotonic: Int64(seconds() * 1000), wall: Int64(time(nil)) * 1000))
        longest = max(longest, seconds() - began)
        slices += 1
        for case .event(.client(.storageError(let message, _))) in core.takeOutputs() { fail(message) }
    }
    return (processorSeconds() - start, slices, longest)
}

/// The first page of results for a word, by the time it takes.
func look(for word: String, _ core: SyncCore) -> String {
    var query = SearchQuery(word)
    query.isPrefix = false
    let now = Moment(monotonic: Int64(seconds() * 1000), wall: Int64(time(nil)) * 1000)
    let id = CollectionID.host(1000 + UInt64(word.utf8.count))
    let start = seconds()
    core.handle(.post(.openSearchCollection(id: id, query: query)), now: now)
    core.handle(.call(.host(1000), .fetch(collection: id, direction: .next)), now: now)
    var count = 0
    while true {
        for case .event(.change(let change)) in core.takeOutputs() where change.list == .results {
            count += change.items.count
        }
        guard let due = core.nextDeadline, Double(due) / 1000 - seconds() < 1 else { break }
        core.advance(now: Moment(monotonic: Int64(seconds() * 1000), wall: Int64(time(nil)) * 1000))
    }
    let elapsed = seconds() - start
    core.handle(.post(.removeCollection(id: id)), now: now)
    return ",\"\(word)\":{\"ms\":\(elapsed * 1000),\"found\":\(count)}"
}

func run() throws {
    let arguments = CommandLine.arguments
    guard arguments.count >= 4, let count = Int(arguments[3]) else {
        fail("usage: sync-benchmark DATA_DIR PAGES COUNT [WORD...]")
    }
    var directory = arguments[1]
    for part in ["", "/benchmark", "/user"] {
        directory += part
        mkdir(directory, 0o700)
    }
    let transport = PageTransport(PageFile(path: arguments[2], count: count))
    let start = seconds()
    var now: Moment { Moment(monotonic: Int64(seconds() * 1000), wall: Int64(time(nil)) * 1000) }

    // With SM_ENCRYPTED=1 the files are encrypted, where the system has a fitting SQLCipher.
    let isEncrypted = getenv("SM_ENCRYPTED").map { String(cString: $0) } == "1"
    let hostKey = isEncrypted ? HostKey(digits: String(repeating: "5a", count: 32)) : nil
    let keys = try DirectoryKeys.opened(directory, hostKey)
    let cache = try CacheStore(directory: directory, now: now.wall, keys)
    let intents = try IntentStore(directory: directory, keys)
    let service = SendbirdService(
        appID: "benchmark", userID: "user", apiHost: nil, wsHost: nil, libraryVersion: "0")
    var options = EngineOptions(userID: "user", accessToken: "token")
    options.searches = arguments.count > 4
    options.stopwatch = { Int64(seconds() * 1e6) }
    let core = SyncCore(
        options: options, cache: cache, intents: intents, service: service, transport: transport, now: now)
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
    var search = ""
    if options.searches {
        let ingested = seconds() - start
        let work = advance(core)
        search = ",\"ingest_seconds\":\(ingested),\"index_seconds\":\(work.seconds),\"slices\":\(work.slices)"
            + ",\"longest_slice\":\(work.longest)" + arguments[4...].map { look(for: $0, core) }.joined()
    }
    core.close(now: now)
    let key = try cache.channels.key("benchmark")
    let chunks = try cache.chunks.of(channel: key)
    cache.close()
    intents.close()
    let elapsed = seconds() - start
    // Everything came in, and the engine knows that it has it all.
    guard transport.pages.left <= 0, chunks.count == 1, chunks.first?.reachedFirst == true else {
        fail("the sync did not complete")
    }
    print("{\"messages\":\(count),\"requests\":\(transport.requests),\"seconds\":\(elapsed)\(search)}")
}

do { try run() } catch { fail("\(error)") }
