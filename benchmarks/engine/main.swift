// Fills a cache through the whole engine without a network: the engine's own requests are answered with the pages of a
// file, by way of the service's decoder, into a real cache where the library finds it.
//
// usage: sync-benchmark DATA_DIR PAGES COUNT      Prints one JSON object.
import Glibc
import SyncEngine
import SyncModel
import SyncService
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
    var pages = PageFile(path: arguments[2], count: count)
    let start = seconds()
    var now: EngineTime { EngineTime(monotonic: Int64(seconds() * 1000), wall: Int64(time(nil)) * 1000) }

    let cache = try CacheStore(directory: directory, now: now.wall)
    let intents = try IntentStore(directory: directory)
    var service = SendbirdService(
        appID: "benchmark", userID: "user", apiHost: nil, wsHost: nil, accessToken: "token", libraryVersion: "0")
    let options = EngineOptions(userID: "user", accessToken: "token")
    let engine = Engine(options: options, cache: cache, intents: intents, now: now)
    engine.handle(.connect(call: 1), now: now)
    let login = LoginInfo(userID: "user", loginTime: 1_760_000_100_000)
    engine.handle(
        .openMessageCollection(id: 1, channelURL: "benchmark", filter: MessageFilter(), viewpoint: .max), now: now)

    let channel = Array(#"{"channel_url":"benchmark","name":"Benchmark","created_at":1700000000}"#.utf8)
    let channels = Array(#"{"channels":["#.utf8) + channel + Array(#"],"next":""}"#.utf8)
    var requests = 0
    var outputs = engine.takeOutputs()
    while !outputs.isEmpty {
        for output in outputs {
            switch output {
            case .openConnection:
                engine.connectionOpened(now: now)
                engine.receive(.loggedIn(login), now: now)
            case .request(let id, let request, _):
                let body: [UInt8]
                switch request {
                case .listChannels: body = channels
                case .getChannel: body = channel
                case .listMessages(_, _, let before, _):
                    requests += 1
                    body = before > 0 ? pages.next() : Array(#"{"messages":[]}"#.utf8)
                case .messageGap: body = Array(#"{"is_huge_gap":false,"next_messages":[],"next_hasmore":false}"#.utf8)
                default: body = Array(#"{"updated":[],"deleted":[],"has_more":false,"next":"t"}"#.utf8)
                }
                engine.receive(service.decode(request, status: 200, headers: [], body: body), for: id, now: now)
            case .closeConnection, .event, .completion: break
            }
        }
        outputs = engine.takeOutputs()
    }
    engine.handle(.close, now: now)
    let key = try cache.channelKey("benchmark")
    let chunks = try cache.chunks(channel: key)
    cache.close()
    intents.close()
    let elapsed = seconds() - start
    // Everything came in, and the engine knows that it has it all.
    guard pages.left <= 0, chunks.count == 1, chunks.first?.reachedFirst == true else {
        fail("the sync did not complete")
    }
    print("{\"messages\":\(count),\"requests\":\(requests),\"seconds\":\(elapsed)}")
}

do { try run() } catch { fail("\(error)") }
