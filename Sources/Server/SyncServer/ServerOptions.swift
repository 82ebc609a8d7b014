import CLinux
import Glibc
import ServerChat
import ServerTools

/// What the command line asks for; its usage text says what each option means.
public struct ServerOptions {
    /// A user that exists from the start; an empty token lets anybody log in.
    public typealias SeedUser = SeedPlan.User

    var host = "127.0.0.1"
    /// Scheme, host and port in addresses of files where a request does not name its host; `nil`: where it listens.
    public var origin: String?
    var port: UInt16 = 0
    /// A file, or ":memory:".
    public var database = ":memory:"
    /// Where the realtime database is served; `nil` for nowhere.
    var databasePort: UInt16?
    /// How often its event streams say that they live, in milliseconds.
    public var keepAlive: Int64 = 30_000
    public var imports: [String] = []
    public var seed: UInt64?
    public var scale = Double(1)
    public var appID = "syncmanager"
    public var apiToken: String?
    public var users: [SeedUser] = []
    var exitsWithStdin = false
    public var isControlled = false
    public var hugeGap = 300
    /// How long an expiring session key is valid, in milliseconds.
    public var sessionLife: Int64 = 3_600_000
    public var maximumMessageLength = 65_536
    /// In seconds, 1 to 3600, as LOGI tells it; so is `pongTimeout`.
    public var pingInterval: Int64 = 15
    public var pongTimeout: Int64 = 5
    /// Requests a second of each caller, 1 to 1,000,000; `nil` is no limit.
    public var rateLimit: Int64?
    /// A folder for uploaded files; `nil`: they lie in the database.
    var files: String?
    /// In MB: the largest file, and all files together.
    public var fileLimit: Int64 = 30
    var fileQuota: Int64?
    /// Whether requests with keys that have no effect are refused.
    public var isStrict = false

    public init() {}

    /// The options of the chat.
    var chat: ChatOptions {
        var result = ChatOptions()
        result.appID = appID
        result.hugeGap = hugeGap
        result.sessionLife = sessionLife
        result.maximumMessageLength = maximumMessageLength
        result.pingInterval = pingInterval
        result.pongTimeout = pongTimeout
        result.fileLimit = fileLimit
        result.fileQuota = fileQuota.map { $0 << 20 } ?? .max
        return result
    }

    /// What the server is filled with before it starts.
    var seeding: SeedPlan { SeedPlan(users: users, imports: imports, seed: seed, scale: scale) }

    static let usage = """
        Usage: syncmanager-server [options]
          --port N              listen on this port; 0 (default) takes a free one
          --host ADDRESS        IPv4 address to listen on (default 127.0.0.1)
          --database-port N     serve the realtime database on this port; 0 takes a free one (default: not served)
          --keep-alive S        seconds between signs of life of its event streams (1 … 60, default 30)
          --db FILE             keep everything in this SQLite file (default: in memory)
          --app-id ID           the application's id (default syncmanager; empty: any)
          --api-token TOKEN     the token of the administration (default: random)
          --user ID[:TOKEN]     a user that exists from the start; may be repeated
          --import FILE         lines {ts, sender, text} (.jsonl or .jsonl.gz) into a channel; may be repeated
          --generate SEED       a believable account, the same for the same seed
          --scale N             size of the generated account, 1 by default (0.01 … 1000)
          --huge-gap N          a gap of more messages than this is huge (default 300)
          --session-ttl SECONDS life of an expiring session key (default 3600)
          --ping-interval S     how often clients are told to ping (default 15)
          --pong-timeout S      how long clients are told to wait for a pong (default 5)
          --max-message-length N  longest text of a message in characters (default 65536)
          --rate-limit N        answer more than N requests a second of one caller with 429 (default: no limit)
          --files DIR           keep uploaded files in this folder (default: in the database)
          --file-limit MB       largest file (default 30; with --files up to 1000000)
          --file-quota MB       refuse files beyond so much of all together (default: no quota)
          --strict              refuse requests with a key that nobody reads (else it is logged once)
          --control             serve the control endpoint under /control/
          --exit-with-stdin     end when standard input closes
          --help                this text

        """

    enum Outcome {
        case options(ServerOptions)
        case help
        case wrong(String)
    }

    private enum Name: Int32, CaseIterable {
        case port = 1
        case host, databasePort, keepAlive, db, appID, apiToken, user, `import`, generate, scale, hugeGap, sessionTTL
        case pingInterval, pongTimeout, maxMessageLength, rateLimit, files, fileLimit, fileQuota, strict, control
        case exitWithStdin, help

        var text: StaticString {
            switch self {
            case .port: "port"
            case .host: "host"
            case .databasePort: "database-port"
            case .keepAlive: "keep-alive"
            case .db: "db"
            case .appID: "app-id"
            case .apiToken: "api-token"
            case .user: "user"
            case .import: "import"
            case .generate: "generate"
            case .scale: "scale"
            case .hugeGap: "huge-gap"
            case .sessionTTL: "session-ttl"
            case .pingInterval: "ping-interval"
            case .pongTimeout: "pong-timeout"
            case .maxMessageLength: "max-message-length"
            case .rateLimit: "rate-limit"
            case .files: "files"
            case .fileLimit: "file-limit"
            case .fileQuota: "file-quota"
            case .strict: "strict"
            case .control: "control"
            case .exitWithStdin: "exit-with-stdin"
            case .help: "help"
            }
        }

        var takesValue: Bool { self != .strict && self != .control && self != .exitWithStdin && self != .help }
    }

    static func parse(_ count: Int32, _ words: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Outcome {
        var options = ServerOptions()
        var table = Name.allCases.map { name in
            option(
                name: UnsafeRawPointer(name.text.utf8Start).assumingMemoryBound(to: CChar.self),
                has_arg: name.takesValue ? 1 : 0, flag: nil, val: name.rawValue)
        }
        table.append(option())
        while true {
            let found = getopt_long(count, words, "", table, nil)
            if found == -1 { break }
            // getopt_long has said on stderr what is wrong.
            guard let name = Name(rawValue: found) else { return .wrong("") }
            let value = shim_option_argument().map { String(cString: $0) } ?? ""
            if name == .help { return .help }
            guard options.take(name, value) else { return .wrong("--\(name.text): \"\(value)\" is no valid value\n") }
        }
        if options.files == nil, options.fileLimit > 30 {
            return .wrong("--file-limit: more than 30 needs --files, a folder in which files lie\n")
        }
        if shim_option_index() < count { return .wrong("no arguments are taken besides the options\n") }
        return .options(options)
    }

    private mutating func take(_ name: Name, _ value: String) -> Bool {
        switch name {
        case .port: return Self.set(&port, UInt16(value))
        case .host: host = value
        case .databasePort: return Self.set(&databasePort, UInt16(value))
        case .keepAlive:
            // libmicrohttpd ends connections that say nothing for 75 s.
            return Self.set(&keepAlive, Int64(value).flatMap { (1...60).contains($0) ? $0 * 1000 : nil })
        case .db: database = value
        case .appID: appID = value
        case .apiToken: apiToken = value
        case .user:
            let parts = value.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard let id = parts.first, !id.isEmpty else { return false }
            users.append(SeedUser(id: id, token: parts.count > 1 ? parts[1] : ""))
        case .import: imports.append(value)
        case .generate: return Self.set(&seed, UInt64(value))
        case .scale: return Self.set(&scale, Double(value).flatMap { (0.01...1000).contains($0) ? $0 : nil })
        case .hugeGap: return Self.set(&hugeGap, Int(value).flatMap { (0...1_000_000_000).contains($0) ? $0 : nil })
        case .sessionTTL:
            return Self.set(
                &sessionLife, Int64(value).flatMap { (1...1_000_000_000).contains($0) ? $0 * 1000 : nil })
        case .pingInterval:
            return Self.set(&pingInterval, Int64(value).flatMap { (1...3600).contains($0) ? $0 : nil })
        case .pongTimeout: return Self.set(&pongTimeout, Int64(value).flatMap { (1...3600).contains($0) ? $0 : nil })
        case .maxMessageLength: return Self.set(&maximumMessageLength, Int(value).flatMap { $0 > 0 ? $0 : nil })
        case .rateLimit:
            return Self.set(&rateLimit, Int64(value).flatMap { (1...1_000_000).contains($0) ? $0 : nil })
        case .files:
            guard !value.isEmpty else { return false }
            files = value
        case .fileLimit: return Self.set(&fileLimit, Self.megabytes(value))
        case .fileQuota: return Self.set(&fileQuota, Self.megabytes(value))
        case .strict: isStrict = true
        case .control: isControlled = true
        case .exitWithStdin: exitsWithStdin = true
        case .help: break
        }
        return true
    }

    private static func megabytes(_ value: String) -> Int64? {
        Int64(value).flatMap { (1...1_000_000).contains($0) ? $0 : nil }
    }

    private static func set<T>(_ place: inout T, _ value: T?) -> Bool {
        guard let value else { return false }
        place = value
        return true
    }

    private static func set<T>(_ place: inout T?, _ value: T?) -> Bool {
        guard let value else { return false }
        place = value
        return true
    }
}
