import SyncModel
import SyncSimulation

/// The options of a world, checked.
struct WorldOptions {
    var start: Int64 = 1_700_000_000_000
    var weather = Weather.fair
    var pageSize: Int?
    var hugeGap = 300
    /// MiB.
    var fileLimit: Int64 = 30

    /// Times from 2001 to 2100: ids and documents have so many digits.
    private static let times: ClosedRange<Int64> = 1_000_000_000_000...4_102_444_800_000

    init() {}

    init(_ bytes: [UInt8]) throws(DocumentError) {
        for (name, value) in try DocumentValue(parsing: bytes).members() {
            switch name {
            case "start": start = try value.integer(in: WorldOptions.times)
            case "weather": weather = try Weather(value)
            case "page_size": pageSize = Int(try value.integer(in: 1...100))
            case "huge_gap": hugeGap = Int(try value.integer(in: 1...1_000_000))
            case "file_limit_mb": fileLimit = try value.integer(in: 1...30)
            default: throw value.unknown(in: "world")
            }
        }
    }
}

extension Weather {
    private enum Name: String, CaseIterable { case fair, usual, bad }

    init(_ bytes: [UInt8]) throws(DocumentError) { self = try Weather(try DocumentValue(parsing: bytes)) }

    init(_ value: DocumentValue) throws(DocumentError) {
        self = .fair
        if value.json.string != nil {
            let name: Name = try value.choice()
            switch name {
            case .fair: self = .fair
            case .usual: self = .usual
            case .bad: self = .bad
            }
            return
        }
        let parts: [String: WritableKeyPath<Weather, Int64>] = [
            "lost": \.lost, "answer_lost": \.answerLost, "reset": \.reset, "half": \.half,
            "rate_limited": \.rateLimited, "broken": \.broken, "garbage": \.garbage, "refused": \.refused,
            "slow": \.slow, "token_expired": \.tokenExpired, "change_refused": \.refusedChange,
        ]
        for (name, share) in try value.members() {
            guard let part = parts[name] else { throw share.unknown(in: "weather") }
            self[keyPath: part] = try share.integer(in: 0...100)
        }
    }
}

/// What may happen to connections.
enum Disturbance: String, CaseIterable {
    case reset, die, dieUp = "die_up", dieDown = "die_down", losePong = "lose_pong"

    func happen(to network: SimulatedNetwork) {
        switch self {
        case .reset: network.reset()
        case .die: network.die()
        case .dieUp: network.die(.up)
        case .dieDown: network.die(.down)
        case .losePong: network.losePong()
        }
    }
}
