import SyncModel

/// Puts the edges of an integer's range in the place of numbers on the wire, in both directions. Each run does so with
/// a twelfth of the names that numbers have, and with one edge: twelve runs for each edge reach every name.
struct HostileNumbers {
    private static let classes: UInt64 = 12
    static let edges = [
        "9223372036854775807", "-9223372036854775808", "-1", "0", "9223372036854775000", "4102444800000",
    ]
    /// Runs that reach every name with every edge.
    static let runs = classes * UInt64(edges.count)

    private let chosen: UInt64
    private let edge: [UInt8]
    /// Of a hundred numbers with such a name, how many are replaced: a service that lies always is not heard for long.
    private let share: UInt64
    private var count: UInt64 = 0
    private(set) var replaced: [String: Int] = [:]

    init(run: UInt64) {
        chosen = run % Self.classes
        edge = Array(Self.edges[Int(run / Self.classes % UInt64(Self.edges.count))].utf8)
        share = [100, 30, 5][Int(run / Self.runs % 3)]
    }

    mutating func spoiled(_ input: TransportInput) -> TransportInput {
        switch input {
        case .response(let id, var response):
            response.body = spoiled(response.body)
            return .response(id: id, response)
        case .socketText(let socket, let text): return .socketText(socket, spoiled(text))
        case .streamBytes(let stream, let bytes): return .streamBytes(stream, spoiled(bytes))
        default: return input
        }
    }

    mutating func spoiled(_ request: TransportRequest) -> TransportRequest {
        var request = request
        request.url = String(decoding: spoiled(Array(request.url.utf8)), as: UTF8.self)
        request.body = request.body.map { spoiled($0) }
        return request
    }

    /// Whole numbers behind a name and a colon, or a name and an equals sign.
    mutating func spoiled(_ text: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var index = 0
        while index < text.count {
            let byte = text[index]
            result.append(byte)
            index += 1
            guard byte == UInt8(ascii: ":") || byte == UInt8(ascii: "=") else { continue }
            var end = index
            if end < text.count, text[end] == UInt8(ascii: "-") { end += 1 }
            let digits = end
            while end < text.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(text[end]) { end += 1 }
            guard end > digits, end - digits < 19, end == text.count || ends.contains(text[end]) else { continue }
            let name = self.name(before: index - 1, in: text)
            guard isChosen(name) else { continue }
            replaced[name, default: 0] += 1
            result += edge
            index = end
        }
        return result
    }

    private let ends = Array(",}]&\n".utf8)

    private func name(before end: Int, in text: [UInt8]) -> String {
        let letters = text[..<end].reversed().drop { $0 == UInt8(ascii: "\"") }.prefix { byte in
            byte == UInt8(ascii: "_") || byte == UInt8(ascii: ".")
                || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
        }
        return String(decoding: letters.reversed(), as: UTF8.self)
    }

    private mutating func isChosen(_ name: String) -> Bool {
        guard !name.isEmpty else { return false }
        let sum = name.utf8.reduce(UInt64(7)) { ($0 &* 31 &+ UInt64($1)) & 0xFFFF_FFFF }
        guard sum / 3 % Self.classes == chosen else { return false }
        count += 1
        return share == 100 || count &* 2_654_435_761 / 7 % 100 < share
    }
}
