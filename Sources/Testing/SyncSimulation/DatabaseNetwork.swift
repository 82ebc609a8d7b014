import SyncModel
import SyncServer

/// The part of the network that leads to the realtime database: requests, and streams whose pieces keep their order.
public final class DatabaseNetwork {
    private final class Stream {
        let end: InProcessStream
        var lastDown: Int64
        /// Nothing arrives on it any more, and nobody is told.
        var isDead = false

        init(_ end: InProcessStream, _ time: Int64) {
            self.end = end
            lastDown = time
        }
    }

    private let server: any NetworkedServer
    private var random: SeededGenerator
    private var streams: [UInt64: Stream] = [:]
    /// Asked for and not opened yet.
    private var opening: Set<UInt64> = []
    /// Told of requests that do not arrive, or of which the device does not hear what became of them.
    public var spoiled: ((TransportRequest) -> Void)?
    /// Requests of before a sign-out that had not arrived then.
    private var outlived: Set<UInt64> = []
    /// Brings something on its way, to arrive at a time.
    var carry: (Parcel, Int64) -> Void = { _, _ in }
    /// Around what a request does at the server. `isLate`: the device signed out since it was sent.
    public var executing: (_ isLate: Bool, _ execute: () -> TransportResponse) -> TransportResponse = { $1() }

    init(server: any NetworkedServer, seed: UInt64) {
        self.server = server
        random = SeededGenerator(seed: seed)
    }

    private func failure(_ message: String) -> TransportFailure { TransportFailure(kind: .failed, message: message) }

    private func delay() -> Int64 { 1 + random.below(random.chance(10) ? 800 : 120) }

    // MARK: The device's side

    func send(_ request: TransportRequest, id: UInt64, _ weather: Weather, _ time: Int64) {
        var fate = Parcel.Fate.answered
        let fates: [(Parcel.Fate, Int64)] = [
            (.answerLost, weather.answerLost), (.answerReset, weather.reset), (.broken, weather.broken),
        ]
        for (other, percent) in fates where random.chance(percent) { fate = other }
        let isLost = random.chance(weather.lost)
        if isLost || fate != .answered { spoiled?(request) }
        if isLost { return tell(.requestFailed(id: id, failure("lost")), at: time + request.timeout) }
        carry(.databaseRequest(id, request, fate), time + delay())
    }

    func open(_ id: UInt64, _ request: TransportRequest, _ weather: Weather, _ time: Int64) {
        if random.chance(weather.refused / 2) {
            return tell(.streamEnded(id, failure("refused")), at: time + delay())
        }
        opening.insert(id)
        carry(.databaseStream(id, request), time + delay())
    }

    func close(_ id: UInt64) {
        opening.remove(id)
        streams.removeValue(forKey: id)?.end.closeByClient()
    }

    /// The device has forgotten what it has sent; that arrives all the same, also behind what is sent from now on.
    func signedOut(underWay: [Parcel]) {
        for case .databaseRequest(let id, _, _) in underWay { outlived.insert(id) }
    }

    /// Of what a dead process has sent some still arrives, before anything of the next one.
    func processEnded(underWay: [Parcel]) {
        for parcel in underWay {
            if case .databaseRequest(let id, let request, _) = parcel, random.chance(50) { _ = execute(id, request) }
        }
        outlived = []
        for stream in streams.values { stream.end.closeByClient() }
        (streams, opening) = ([:], [])
    }

    // MARK: Faults

    func reset(_ time: Int64) {
        for (id, stream) in streams.sorted(by: { $0.key < $1.key }) where !stream.isDead {
            streams[id] = nil
            stream.end.closeByClient()
            tell(.streamEnded(id, failure("reset")), at: max(stream.lastDown, time + 1))
        }
    }

    func die() { for stream in streams.values { stream.isDead = true } }

    // MARK: What arrives

    private func tell(_ input: TransportInput, at time: Int64) {
        carry(.input(input, of: .database, process: -1), time)
    }

    private func execute(_ id: UInt64, _ request: TransportRequest) -> TransportResponse {
        executing(outlived.remove(id) != nil) {
            DatabaseNetwork.transported(server.answerDatabase(request, request.url.target))
        }
    }

    private static func transported(_ response: HTTPResponse) -> TransportResponse {
        TransportResponse(
            status: response.status, headers: response.allHeaders.map { TransportHeader($0.0, $0.1) },
            body: response.body)
    }

    func arrive(_ id: UInt64, _ request: TransportRequest, _ fate: Parcel.Fate, _ time: Int64) {
        if fate == .broken {
            let answer = TransportResponse(status: random.chance(50) ? 502 : 503, headers: [], body: [])
            return tell(.response(id: id, answer), at: time + delay())
        }
        let answer = execute(id, request)
        switch fate {
        case .answerLost: tell(.requestFailed(id: id, failure("no answer")), at: time + request.timeout)
        case .answerReset: tell(.requestFailed(id: id, failure("reset")), at: time + delay())
        default: tell(.response(id: id, answer), at: time + delay())
        }
    }

    func arrive(_ id: UInt64, _ request: TransportRequest, _ time: Int64) {
        guard opening.remove(id) != nil else { return }
        switch server.openStream(request.url.target) {
        case .opened(let end):
            let stream = Stream(end, time + delay())
            streams[id] = stream
            tell(.streamOpened(id), at: stream.lastDown)
        case .refused(let response):
            tell(.streamRefused(id, DatabaseNetwork.transported(response)), at: time + delay())
        }
    }

    /// Takes what the server has said on its streams, and sends it on its way in pieces.
    func collect(_ time: Int64) {
        for (id, stream) in streams.sorted(by: { $0.key < $1.key }) {
            var bytes = stream.end.takeBytes()[...]
            guard !stream.isDead else { continue }
            while !bytes.isEmpty {
                let count = random.chance(30) ? 1 + Int(random.below(Int64(bytes.count))) : bytes.count
                stream.lastDown = max(stream.lastDown, time + 1 + random.below(100))
                tell(.streamBytes(id, Array(bytes.prefix(count))), at: stream.lastDown)
                bytes = bytes.dropFirst(count)
            }
            guard stream.end.isClosed else { continue }
            streams[id] = nil
            tell(.streamEnded(id, nil), at: max(stream.lastDown, time + 1))
        }
    }
}
