import Glibc
import SyncManager
import SyncModel
import SyncNetwork

/// What the network thread and a file's own thread do with files that are received, in virtual time: the library's
/// rules (`FileReceipt`) and its files on a real disk (`ReceivedFile`), without libcurl and threads.
public final class DownloadNetwork {
    /// What happens to an exchange.
    public enum Step {
        case asked(timeout: Int64)
        case head(status: Int, [(String, String)])
        case bytes([UInt8])
        case end
        case failed(NetworkFailure)
    }

    /// What the weather makes of a request. A lost answer is as a lost request, since a question changes nothing.
    private enum Fate { case done, lost, reset, half, rateLimited, broken }

    private final class Exchange {
        let url: String
        let part: String
        let file: ReceivedFile
        let fate: Fate
        var receipt: FileReceipt
        var status = 0
        var headers: [(String, String)] = []
        var isReceiving = false

        init(_ url: String, _ part: String, _ file: ReceivedFile, limit: Int64, _ fate: Fate) {
            (self.url, self.part, self.file, self.fate) = (url, part, file, fate)
            receipt = FileReceipt(limit: limit, part: file.received)
        }
    }

    private let source: any DownloadSource
    /// The disk that files are written to.
    public var disk = PartDisk.system
    private var random: SeededGenerator
    /// Of this process.
    private var exchanges: [UInt64: Exchange] = [:]
    /// Of requests of this process, whatever became of them.
    private var targets: [UInt64: HTTPTarget] = [:]
    /// How many requests of this process were for a file in part.
    private var begun: [String: Int] = [:]
    /// Puts a step, or what the device is told, on its way.
    var plan: ((UInt64, Step, _ delay: Int64) -> Void)?
    var tell: ((TransportInput) -> Void)?
    public var seen: ((String) -> Void)?

    init(from source: any DownloadSource, seed: UInt64) {
        self.source = source
        random = SeededGenerator(seed: seed)
    }

    /// Whether anything of a file is there that is not whole, and nobody receives it.
    ///
    /// `after`: how many requests for it there had been when the call came. What an earlier call left stays when the
    /// call ends before a request of its own has begun to go on with it.
    public func hasLeft(_ url: String, _ path: String, after: Int) -> Bool {
        let part = PartFile(HTTPTarget(path: path, source: url)).path
        let isReceived = exchanges.values.contains { $0.part == part }
        guard begun[part, default: 0] > after, !isReceived else { return false }
        let version = String(part.dropLast("part".count)) + "version"
        return access(part, F_OK) == 0 || access(version, F_OK) == 0
    }

    public func requests(for url: String, _ path: String) -> Int {
        begun[PartFile(HTTPTarget(path: path, source: url)).path, default: 0]
    }

    // MARK: The device's side

    func send(_ id: UInt64, _ request: TransportRequest, _ asked: TransportTarget, _ weather: Weather) {
        let target = HTTPTarget(
            path: asked.path, source: asked.source, limit: asked.limit, replaces: asked.replaces)
        targets[id] = target
        let part = PartFile(target).path
        begun[part, default: 0] += 1
        do throws(NetworkFailure) {
            // The disk says so after half a second.
            let isBusy = exchanges.values.contains { $0.part == part }
            guard !isBusy else { throw NetworkFailure(.busy, asked.path) }
            let file = try ReceivedFile(target, disk)
            if file.received != nil { seen?("download resumed") }
            exchanges[id] = Exchange(request.url, part, file, limit: asked.limit, fate(weather))
        } catch {
            plan?(id, .failed(error), 1)
            return
        }
        let isSlow = random.chance(weather.slow)
        plan?(id, .asked(timeout: max(request.timeout, 1)), isSlow ? 1 + random.below(Int64(3_000)) : delay())
    }

    private func fate(_ weather: Weather) -> Fate {
        let fates: [(Fate, Int64)] = [
            (.lost, weather.lost), (.lost, weather.answerLost), (.reset, weather.reset), (.half, weather.half),
            (.rateLimited, weather.rateLimited), (.broken, weather.broken),
        ]
        return fates.first { random.chance($0.1) }?.0 ?? .done
    }

    func cancel(_ id: UInt64, discarding: Bool) {
        guard let target = targets.removeValue(forKey: id) else { return }
        if let exchange = exchanges.removeValue(forKey: id) {
            exchange.file.leave(discarding: discarding)
        } else if discarding, !exchanges.values.contains(where: { $0.part == PartFile(target).path }) {
            PartFile(target).remove()
        }
    }

    /// What was under way is left as it stands; after a power cut without what had not reached the disk.
    func processEnded() {
        exchanges = [:]
        targets = [:]
        begun = [:]
    }

    private func delay() -> Int64 { 1 + Int64(random.below(random.chance(20) ? 900 : 60)) }

    // MARK: Steps

    func take(_ id: UInt64, _ step: Step) {
        if case .failed(let failure) = step, exchanges[id] == nil, targets[id] != nil { return end(id, failure) }
        guard let exchange = exchanges[id] else { return }
        do throws(NetworkFailure) {
            switch step {
            case .asked(let timeout): answer(id, exchange, timeout)
            case .head(let status, let headers): try begin(exchange, status, headers)
            case .bytes(let bytes): try receive(bytes, exchange, id)
            case .end: try finish(exchange, id)
            case .failed(let failure): throw failure
            }
        } catch {
            exchange.file.leave(discarding: exchange.receipt.isUseless)
            end(id, error)
        }
    }

    private func answer(_ id: UInt64, _ exchange: Exchange, _ timeout: Int64) {
        var time = delay()
        guard let answer = self.answer(to: exchange) else {
            let isReset = exchange.fate == .reset
            let failure =
                isReset
                ? NetworkFailure(.closed, "the connection is reset") : NetworkFailure(.timedOut, "no progress")
            plan?(id, .failed(failure), isReset ? time : timeout)
            return
        }
        plan?(id, .head(status: answer.status, answer.headers), time)
        var rest = answer.body[...]
        while !rest.isEmpty {
            let count = min(rest.count, 1 + random.below(2_000))
            time += delay()
            plan?(id, .bytes(Array(rest.prefix(count))), time)
            rest = rest.dropFirst(count)
        }
        switch answer.end {
        case .complete: plan?(id, .end, time + 1)
        case .broken: plan?(id, .failed(NetworkFailure(.closed, "the connection is reset")), time + 1)
        case .silent: plan?(id, .failed(NetworkFailure(.timedOut, "no progress")), time + timeout)
        }
    }

    /// `nil`: nothing comes.
    private func answer(to exchange: Exchange) -> DownloadAnswer? {
        switch exchange.fate {
        case .lost, .reset: return nil
        case .rateLimited: return DownloadAnswer(status: 429, headers: [("retry-after", "2")])
        case .broken: return DownloadAnswer(status: 503)
        case .half, .done:
            var answer = source.answer(exchange.url, exchange.receipt.requestHeaders)
            if exchange.fate == .half, answer.end == .complete {
                (answer.body, answer.end) = (Array(answer.body.prefix(answer.body.count / 2)), .broken)
            }
            return answer
        }
    }

    private func begin(
        _ exchange: Exchange, _ status: Int, _ headers: [(String, String)]
    ) throws(NetworkFailure) {
        (exchange.status, exchange.headers) = (status, headers)
        switch exchange.receipt.begin(status: status, headers) {
        case .noFile: break
        case .beginning(let version):
            try exchange.file.startOver(version)
            exchange.isReceiving = true
        case .rest:
            exchange.isReceiving = true
            seen?("download goes on")
        }
        if let refusal = exchange.receipt.refusal { throw refusal }
    }

    private func receive(_ bytes: [UInt8], _ exchange: Exchange, _ id: UInt64) throws(NetworkFailure) {
        guard exchange.isReceiving else { return }
        if let reason = exchange.receipt.reason(against: bytes.count) { throw reason }
        try exchange.file.write(bytes)
        exchange.receipt.took(bytes.count)
        if random.chance(30) { try exchange.file.sync() }
        let (done, total) = (exchange.receipt.done, exchange.receipt.total)
        tell?(.progress(id: id, done: done, total: total < 0 ? nil : total))
    }

    private func finish(_ exchange: Exchange, _ id: UInt64) throws(NetworkFailure) {
        if exchange.receipt.isWhole(status: exchange.status, exchange.headers) {
            try exchange.file.finish { true }
            return end(id, status: 200, exchange)
        }
        if let refusal = exchange.receipt.refusal { throw refusal }
        guard !(200..<300).contains(exchange.status) else {
            throw NetworkFailure(.protocolError, "the answer has no file")
        }
        exchange.file.leave(discarding: exchange.receipt.isUseless(status: exchange.status))
        end(id, status: exchange.status, exchange)
    }

    private func end(_ id: UInt64, status: Int, _ exchange: Exchange) {
        exchanges[id] = nil
        let headers = exchange.headers.map { TransportHeader($0.0, $0.1) }
        tell?(.response(id: id, TransportResponse(status: status, headers: headers, body: [])))
    }

    private func end(_ id: UInt64, _ failure: NetworkFailure) {
        exchanges[id] = nil
        tell?(.requestFailed(id: id, TransportFailure(failure)))
    }
}
