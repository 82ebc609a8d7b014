import SyncSimulation

/// A server with files that change. It keeps what HTTP asks of it (RFC 9110), or not: it knows no ranges, does not
/// compare versions, lies about lengths, breaks off, refuses. What nobody could find out it does not do: to give two
/// files under one version, or a part of another version without saying so.
final class DownloadHost: DownloadSource {
    struct Version {
        /// `nil`: the server says nothing by which it knows the file again.
        let tag: String?
        let bytes: [UInt8]
    }

    static let address = "http://files/"
    static let names = ["a", "b", "c"]
    /// All that was ever there under a name.
    private(set) var versions: [String: [Version]] = [:]
    private var current: [String: Int] = [:]
    private var random: SeededGenerator
    var isFaulty = true

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        for name in Self.names { change(name) }
    }

    func content(_ name: String) -> [UInt8]? { versions[name].flatMap { all in current[name].map { all[$0].bytes } } }

    /// Another version is there, or an earlier one again.
    func change(_ name: String) {
        let count = versions[name]?.count ?? 0
        if count > 1, random.chance(30) {
            current[name] = random.below(count)
            return
        }
        // Of few lengths, so that a length alone tells little.
        let size = random.pick([1, 700, 5_000, 5_000, 5_001]) ?? 700
        let bytes = (0..<size).map { UInt8(truncatingIfNeeded: 1 + (count &* 37 &+ $0 &* 7 &+ $0 >> 8) % 255) }
        let tag = random.chance(85) ? "\"\(name)\(count)\"" : nil
        versions[name, default: []].append(Version(tag: tag, bytes: bytes))
        current[name] = count
    }

    func answer(_ url: String, _ headers: [(String, String)]) -> DownloadAnswer {
        let name = String(url.dropFirst(Self.address.count))
        guard let all = versions[name], let index = current[name] else { return DownloadAnswer(status: 404) }
        let version = all[index]
        func field(_ name: String) -> String? { headers.first { $0.0 == name }?.1 }
        let start = field("Range").flatMap { Int($0.dropFirst("bytes=".count).dropLast()) }
        let isSame = field("If-Range").map { $0 == version.tag } ?? true
        if isFaulty, random.chance(8) {
            return DownloadAnswer(status: random.pick([403, 404, 416, 500, 204, 206]) ?? 500)
        }
        var answer = DownloadAnswer(status: 200, headers: version.tag.map { [("etag", $0)] } ?? [], body: version.bytes)
        // One that does not know If-Range gives a part of what it has, and says its version.
        let isCareless = isFaulty && version.tag != nil && random.chance(30)
        if let start, isSame || isCareless, !(isFaulty && random.chance(10)) {
            if start >= version.bytes.count {
                return DownloadAnswer(status: 416, headers: [("content-range", "bytes */\(version.bytes.count)")])
            }
            answer.status = 206
            answer.body = Array(version.bytes[start...])
            answer.headers.append(("content-range", range(start, version.bytes.count, isFaulty)))
        }
        if !isFaulty || random.chance(85) {
            answer.headers.append(("content-length", String(answer.body.count)))
        } else if random.chance(50) {
            answer.headers.append(("content-length", String(answer.body.count + (random.chance(50) ? 3 : -1))))
        }
        if isFaulty, random.chance(30) {
            answer.body = Array(answer.body.prefix(random.below(answer.body.count + 1)))
            answer.end = random.chance(70) ? .broken : .silent
        }
        return answer
    }

    private func range(_ start: Int, _ size: Int, _ isFaulty: Bool) -> String {
        let shift = isFaulty && random.chance(10) ? 1 : 0
        return "bytes \(max(0, start - shift))-\(size - 1)/\(size + (isFaulty && random.chance(5) ? 1 : 0))"
    }
}
