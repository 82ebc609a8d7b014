import Glibc
import SyncBytes
import SyncRealtime
import SyncEngine
import SyncJSON
import SyncModel
import SyncStore
import SyncThreads
import SyncWebSocket

/// The configuration of a client, checked.
package struct Configuration {
    var appID = ""
    package private(set) var userID = ""
    var dataDirectory = ""
    var accessToken = ""
    var service = ChosenService.Name.sendbird
    var apiHost: String?
    var wsHost: String?
    var caFile: String?
    var appVersion = ""
    var isSessionExpiring = false
    var isThreadDelivery = false
    var queueLimit = 1000
    private var caching = Caching.file
    /// The key with which the user's files are encrypted.
    private(set) var hostKey: HostKey?
    private var database: DatabaseSetup?
    var engine = EngineOptions(userID: "")

    private enum Key: String {
        case appID = "app_id", userID = "user_id", dataDirectory = "data_dir", accessToken = "access_token", service
        case apiHost = "api_host", wsHost = "ws_host", caFile = "ca_file", delivery, queueLimit = "queue_limit"
        case capacity = "message_collection_capacity", resendPolicy = "resend_policy"
        case resendRetryCount = "resend_retry_count", failedRetentionDays = "failed_retention_days"
        case maxFailed = "max_failed_per_channel", requestTimeout = "request_timeout_ms"
        case fileTimeout = "file_timeout_ms", uploadsAtOnce = "uploads_at_once", sendByREST = "send_by_rest"
        case appVersion = "app_version", expiringSession = "expiring_session"
        case backgroundGrace = "background_grace_ms", database, maxCache = "max_cache_mb"
        case maxAge = "max_message_age_days", cache, notify, prefetch
        case evictionOrder = "cache_order", search
        case encryptionKey = "encryption_key", encryptionPassphrase = "encryption_passphrase"
    }
    private enum Delivery: String, CaseIterable { case host, thread }
    /// Where the cache and the outbox are; `none`: in memory, since the engine needs both.
    private enum Caching: String, CaseIterable { case file, none }

    init(_ bytes: [UInt8]) throws(DocumentError) {
        let document = try DocumentValue(parsing: bytes)
        var directory: String?
        var isBounded = false
        for (name, value) in try document.members() {
            guard let key = Key(rawValue: name) else { throw value.unknown(in: "configuration") }
            if value.json.isNull { continue }
            switch key {
            case .appID: appID = try value.fieldText()
            case .userID: userID = try value.nonemptyText()
            case .dataDirectory: directory = try value.text()
            case .accessToken: accessToken = try value.fieldText()
            case .service: service = try value.choice()
            case .apiHost: apiHost = try value.host(["http://", "https://"])
            case .wsHost: wsHost = try value.host(["ws://", "wss://"])
            case .caFile: caFile = AbsolutePath.of(try value.text())
            case .delivery: isThreadDelivery = try value.choice(Delivery.self) == .thread
            case .queueLimit: queueLimit = Int(try value.integer(in: 16...1_000_000))
            case .capacity: engine.messageCollectionCapacity = try Configuration.limit(value, from: 200)
            case .resendPolicy: engine.resendPolicy = try value.choice()
            case .resendRetryCount: engine.resendRetryCount = Int(try value.integer(in: 1...50))
            case .failedRetentionDays: engine.failedRetentionDays = Int(try value.integer(in: 1...365))
            case .maxFailed: engine.maxFailedPerChannel = try Configuration.limit(value, from: 1)
            case .appVersion: appVersion = try value.text()
            case .expiringSession: isSessionExpiring = try value.flag()
            case .backgroundGrace: engine.backgroundGrace = try value.integer(in: 0...3_600_000)
            case .maxCache: (engine.cacheLimit, isBounded) = (try Configuration.megabytes(value), true)
            case .cache: caching = try value.choice()
            case .notify: engine.notify = try value.choice()
            case .evictionOrder: engine.evictionOrder = try value.choice()
            case .prefetch: engine.prefetch = try EngineOptions.Prefetching(value)
            case .search: engine.searches = try value.flag()
            case .encryptionKey, .encryptionPassphrase: try setHostKey(value, key)
            case .maxAge: engine.messageAge = try Configuration.days(value)
            case .database: database = try DatabaseSetup(value)
            case .requestTimeout: engine.requestTimeout = try value.integer(in: 1000...120_000)
            case .fileTimeout: engine.fileTimeout = try value.integer(in: 1000...600_000)
            case .uploadsAtOnce: engine.uploadsAtOnce = Int(try value.integer(in: 1...16))
            case .sendByREST: engine.sendsByRequest = try value.flag()
            }
        }
        try checkIdentity(document)
        try settle(directory, isBounded)
        hand()
    }

    /// Checks what names the user. With Matrix the homeserver is named by `api_host`, and the application's place in
    /// names of files is taken by the part of the user's id that names the server.
    private mutating func checkIdentity(_ document: DocumentValue) throws(DocumentError) {
        if service == .matrix {
            guard apiHost != nil else { throw document.missing("api_host") }
            if appID.isEmpty, let colon = userID.utf8.firstIndex(of: UInt8(ascii: ":")) {
                appID = String(userID[userID.utf8.index(after: colon)...])
            }
        }
        for (key, text) in [("app_id", appID), ("user_id", userID)] where text.isEmpty { throw document.missing(key) }
    }

    /// Hands the engine what it has to know beside the keys that were read into its own options.
    private mutating func hand() {
        engine.database = database
        engine.described = described
        engine.noticesAtOnce = EventBuffer.messagesAtOnce(limit: queueLimit)
        engine.userID = UserID(userID)
        engine.accessToken = accessToken
        engine.stopwatch = { Clock.microseconds }
    }

    /// The values in effect, by the keys of the configuration, without tokens, which are secret.
    private var described: [UInt8] {
        func limit(_ value: Int) -> JSON { value == Int.max ? "infinite" : .int(Int64(value)) }
        let values: [(Key, JSON?)] = [
            (.appID, .string(appID)), (.userID, .string(userID)),
            (.dataDirectory, place == .memory ? nil : .string(dataDirectory)), (.cache, .string(caching.rawValue)),
            (.service, .string(service.rawValue)), (.apiHost, apiHost.map { .string($0) }),
            (.wsHost, wsHost.map { .string($0) }), (.caFile, caFile.map { .string($0) }),
            (.delivery, .string((isThreadDelivery ? Delivery.thread : .host).rawValue)),
            (.queueLimit, .int(Int64(queueLimit))), (.capacity, limit(engine.messageCollectionCapacity)),
            (.resendPolicy, .string(engine.resendPolicy.rawValue)),
            (.resendRetryCount, .int(Int64(engine.resendRetryCount))),
            (.failedRetentionDays, .int(Int64(engine.failedRetentionDays))),
            (.maxFailed, limit(engine.maxFailedPerChannel)), (.requestTimeout, .int(engine.requestTimeout)),
            (.fileTimeout, .int(engine.fileTimeout)), (.uploadsAtOnce, .int(Int64(engine.uploadsAtOnce))),
            (.sendByREST, .bool(engine.sendsByRequest)), (.expiringSession, .bool(isSessionExpiring)),
            (.appVersion, .string(appVersion)), (.backgroundGrace, .int(engine.backgroundGrace)),
            (.maxCache, engine.cacheLimit.map { .int($0 >> 20) } ?? "infinite"),
            (.maxAge, engine.messageAge.map { .int($0 / Configuration.day) } ?? "infinite"),
            (.notify, .string(engine.notify.rawValue)), (.prefetch, engine.prefetch?.described),
            (.evictionOrder, .string(engine.evictionOrder.rawValue)), (.search, .bool(engine.searches)),
            (.database, database?.described),
        ]
        let document = JSON.object()
        for (key, value) in values { document.set(key.rawValue, value) }
        return document.serialized()
    }

    private mutating func setHostKey(_ value: DocumentValue, _ key: Key) throws(DocumentError) {
        let isPassphrase = key == .encryptionPassphrase
        guard hostKey == nil else {
            throw value.failure("encryption_key and encryption_passphrase exclude each other")
        }
        let text = try value.text()
        hostKey = isPassphrase ? HostKey(passphrase: text) : HostKey(digits: text)
        // The error must not show the key.
        guard hostKey != nil else {
            throw value.failure(isPassphrase ? "is empty" : "expected 64 hexadecimal digits")
        }
    }

    /// Sets the directory and the bound of the cache: what the host gave, else the defaults.
    private mutating func settle(_ directory: String?, _ isBounded: Bool) throws(DocumentError) {
        if caching == .none, !isBounded { engine.cacheLimit = Configuration.memoryLimit }
        dataDirectory = AbsolutePath.of(directory ?? Configuration.usualDirectory)
        guard dataDirectory.isEmpty, directory != nil || caching == .file else { return }
        let message = directory == nil ? "is not given, and there is no home directory" : "is empty"
        throw DocumentError(path: "$.data_dir", message: message)
    }

    /// The bound, in bytes, of a cache in memory when the host names none.
    private static let memoryLimit: Int64 = 256 << 20

    /// A number of MiB as bytes; `nil` for "infinite".
    private static func megabytes(_ value: DocumentValue) throws(DocumentError) -> Int64? {
        if value.json.string == "infinite" { return nil }
        guard value.json.kind == .integer else {
            throw value.failure("expected a whole number from 64 to 1048576, or \"infinite\"")
        }
        return try value.integer(in: 64...1_048_576) << 20
    }

    /// Milliseconds of a day.
    private static let day: Int64 = 86_400_000

    /// A number of days in milliseconds; `nil` for "infinite".
    private static func days(_ value: DocumentValue) throws(DocumentError) -> Int64? {
        if value.json.string == "infinite" { return nil }
        guard value.json.kind == .integer else {
            throw value.failure("expected a whole number from 1 to 36500, or \"infinite\"")
        }
        return try value.integer(in: 1...36_500) * day
    }

    /// A number, or "infinite".
    private static func limit(_ value: DocumentValue, from least: Int64) throws(DocumentError) -> Int {
        if value.json.string == "infinite" { return Int.max }
        guard value.json.kind == .integer else {
            throw value.failure("expected a whole number from \(least) to 1000000, or \"infinite\"")
        }
        return Int(try value.integer(in: least...1_000_000))
    }

    private static var usualDirectory: String {
        if let state = getenv("XDG_STATE_HOME"), state.pointee == CChar(UInt8(ascii: "/")) {
            return String(cString: state) + "/syncmanager"
        }
        guard let home = getenv("HOME") else { return "" }
        return String(cString: home) + "/.local/state/syncmanager"
    }

    /// Where this user's cache and outbox are.
    var place: StorePlace { caching == .none ? .memory : .directory(userDirectory) }

    /// The directory of this user's files. Ids become directory names with everything else than letters, digits, "-"
    /// and "_" percent-encoded, so that no id can leave the data directory. A name that is too long for a directory
    /// ends after a "+", which no other name has, with the digest of the id: SQLite takes paths of 512 bytes, so a long
    /// name cannot go on in further directories.
    var userDirectory: String {
        dataDirectory + "/" + Configuration.fileName(appID) + "/" + Configuration.fileName(userID)
    }

    private static func fileName(_ id: String) -> String {
        var name = Array(PercentEncoding.escape(id, keeping: "-_").utf8)
        if name.count > longestName {
            name.removeLast(name.count - keptOfLongName)
            name.append(UInt8(ascii: "+"))
            for byte in SHA1.digest(Array(id.utf8)) { name += [Hex.upperDigit(byte >> 4), Hex.upperDigit(byte)] }
        }
        return String(decoding: name, as: UTF8.self)
    }

    /// Bytes of a directory's name, on the file systems of Linux.
    private static let longestName = 255
    /// Bytes of a longer name that stand before its digest, to tell people whose directory it is.
    private static let keptOfLongName = 48
}

extension DocumentValue {
    /// Reads a URL with one of these schemes.
    fileprivate func host(_ schemes: [String]) throws(DocumentError) -> String {
        let host = try text()
        guard schemes.contains(where: { host.hasPrefix($0) && host.utf8.count > $0.utf8.count }) else {
            throw failure("must begin with \(schemes.joined(separator: " or "))")
        }
        guard host.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
            throw failure("must have no space and no control character")
        }
        return host
    }
}

extension EngineOptions.Prefetching {
    private enum Key: String { case channels, messages }

    fileprivate init(_ value: DocumentValue) throws(DocumentError) {
        var (channels, messages): (Int?, Int?)
        for (name, member) in try value.members() {
            guard let key = Key(rawValue: name) else { throw member.unknown(in: "prefetch") }
            switch key {
            case .channels:
                if member.json.string == "all" {
                    channels = Int.max
                } else if member.json.kind == .integer {
                    channels = Int(try member.integer(in: 1...10_000))
                } else {
                    throw member.failure("expected a whole number from 1 to 10000, or \"all\"")
                }
            case .messages: messages = Int(try member.integer(in: 1...10_000))
            }
        }
        guard let channels else { throw value.missing("channels") }
        guard let messages else { throw value.missing("messages") }
        self.init(channels: channels, messages: messages)
    }

    fileprivate var described: JSON {
        .object(["channels": channels == Int.max ? "all" : .int(Int64(channels)), "messages": .int(Int64(messages))])
    }
}

extension DatabaseSetup {
    private enum Key: String { case url, name, token }

    fileprivate init(_ value: DocumentValue) throws(DocumentError) {
        var options = DatabaseOptions(url: "")
        var token: String?
        for (name, member) in try value.members() {
            guard let key = Key(rawValue: name) else { throw member.unknown(in: "database") }
            if member.json.isNull { continue }
            switch key {
            case .url:
                options.url = try member.host(["http://", "https://"])
                // Paths are appended to it.
                while options.url.hasSuffix("/") { options.url.removeLast() }
                guard !options.url.dropFirst("https://".count).contains(where: { "/?#@".contains($0) }) else {
                    throw member.failure("expected scheme and host: \"https://name.example\"")
                }
            case .name: options.name = try member.nonemptyText()
            case .token: token = try member.nonemptyText()
            }
        }
        if options.url.isEmpty { throw value.missing("url") }
        self.init(options, token: token)
    }

    fileprivate var described: JSON {
        let document = JSON.object(["url": .string(options.url)])
        if !options.name.isEmpty { document.set("name", .string(options.name)) }
        return document
    }
}
