import Glibc
import SyncEngine
import SyncJSON
import SyncModel

/// The configuration of a client, checked.
struct Configuration {
    var appID = ""
    var userID = ""
    var dataDirectory = ""
    var accessToken = ""
    var apiHost: String?
    var wsHost: String?
    var caFile: String?
    var isThreadDelivery = false
    var queueLimit = 1000
    var engine = EngineOptions(userID: "")

    init(_ bytes: [UInt8]) throws(BorderError) {
        var reader = try DocumentReader(bytes)
        appID = try reader.string("app_id", required: true) ?? ""
        userID = try reader.string("user_id", required: true) ?? ""
        dataDirectory = try reader.string("data_dir") ?? Configuration.usualDirectory
        accessToken = try reader.string("access_token") ?? ""
        _ = try reader.word("service", ["sendbird"])
        apiHost = try Configuration.host(reader.string("api_host"), "api_host", ["http://", "https://"])
        wsHost = try Configuration.host(reader.string("ws_host"), "ws_host", ["ws://", "wss://"])
        caFile = try reader.string("ca_file")
        isThreadDelivery = try reader.word("delivery", ["host", "thread"]) == "thread"
        queueLimit = try reader.int("queue_limit", 16...1_000_000) ?? 1000
        engine = EngineOptions(userID: userID, accessToken: accessToken)
        engine.messageCollectionCapacity = try reader.int("message_collection_capacity", 200...1_000_000) ?? 1000
        let policies = EngineOptions.ResendPolicy.allCases.map(\.rawValue)
        engine.resendPolicy = try reader.word("resend_policy", policies).flatMap { .init(rawValue: $0) } ?? .automatic
        engine.resendRetryCount = try reader.int("resend_retry_count", 1...50) ?? 10
        engine.failedRetentionDays = try reader.int("failed_retention_days", 1...365) ?? 7
        engine.maxFailedPerChannel = try reader.int("max_failed_per_channel", 1...1_000_000) ?? 1000
        engine.requestTimeout = Int64(try reader.int("request_timeout_ms", 1000...120_000) ?? 10_000)
        engine.seed = UInt64(bitPattern: Clock.wall) ^ UInt64(UInt32(bitPattern: getpid())) << 32
        try reader.end()
        guard !dataDirectory.isEmpty else {
            throw BorderError(.invalidDocument, "data_dir is empty and there is no home directory", path: "$.data_dir")
        }
    }

    private static func host(_ host: String?, _ key: String, _ schemes: [String]) throws(BorderError) -> String? {
        guard let host else { return nil }
        guard schemes.contains(where: { host.hasPrefix($0) && host.utf8.count > $0.utf8.count }) else {
            throw BorderError(
                .invalidDocument, "\(key) must begin with \(schemes.joined(separator: " or "))", path: "$.\(key)")
        }
        return host
    }

    private static var usualDirectory: String {
        if let state = getenv("XDG_STATE_HOME"), state.pointee == CChar(UInt8(ascii: "/")) {
            return String(cString: state) + "/syncmanager"
        }
        guard let home = getenv("HOME") else { return "" }
        return String(cString: home) + "/.local/state/syncmanager"
    }

    /// Where this user's files are. Ids become directory names with everything else than letters, digits, "-" and "_"
    /// percent-encoded, so that no id can leave the data directory.
    var userDirectory: String {
        dataDirectory + "/" + Configuration.fileName(appID) + "/" + Configuration.fileName(userID)
    }

    private static func fileName(_ id: String) -> String {
        var name: [UInt8] = []
        let digits = Array("0123456789ABCDEF".utf8)
        for byte in id.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                name.append(byte)
            default: name += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: name, as: UTF8.self)
    }
}
