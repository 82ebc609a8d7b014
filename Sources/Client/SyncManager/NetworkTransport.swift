import SyncModel
import SyncNetwork
import SyncThreads

/// The transport over the process's network thread. It is used by the thread that runs the engine, one at a time.
/// Inputs of the network go to the receiver, on the network thread.
final class NetworkTransport: ClientTransport {
    /// A request, socket or stream of an owner.
    private struct ID: Hashable, CustomStringConvertible {
        let owner: TransportOwner
        let number: UInt64

        var description: String {
            switch owner {
            case .service: "\(number)"
            case .database: "database \(number)"
            }
        }
    }

    private let caFile: String?
    /// How much this client takes from the network.
    private let intake = Intake(bodyLimit: TransportRequest.answersLimit)
    /// Acquired with the first connection or request, so a host that stays offline has no network thread.
    private var network: NetworkThread?
    /// The network thread's number of each request that waits for its answer.
    private var requests: [ID: UInt64] = [:]
    /// Requests that send or receive a file. They are canceled at closing, since they could go on for hours.
    private var files: [ID: HTTPFile] = [:]
    /// The network thread's number of each socket that is open on this side.
    private var sockets: [ID: UInt64] = [:]
    /// The network thread's number of each event stream.
    private var streams: [ID: UInt64] = [:]
    private var receiver: Receiver = { _, _ in }

    /// `caFile`: PEM file of trusted roots instead of the system's.
    init(caFile: String?) { self.caFile = caFile }

    func setReceiver(_ receiver: @escaping Receiver) { self.receiver = receiver }

    /// Releases the network thread: when this has returned, the receiver is not called any more.
    func close() {
        intake.end()
        // Requests that change something in the chat are still sent, but their answers are dropped. Requests with files
        // are canceled (see `files`), and those to the database, too: their writes are kept on the disk, and the next
        // client of these files sends them again. A late attempt of this client could otherwise be carried out after
        // newer writes of that client to the same place.
        for (id, number) in requests where id.owner == .database || files[id] != nil { network?.cancel(number) }
        requests = [:]
        files = [:]
        for socket in sockets.values { network?.closeSocket(socket) }
        sockets = [:]
        for stream in streams.values { network?.cancel(stream) }
        streams = [:]
        if network != nil { NetworkThread.release() }
        network = nil
        receiver = { _, _ in }
    }

    /// Whether an input is still wanted, since inputs of a request, socket or stream that was closed here may still
    /// come. To be called once for each input, when it is taken.
    func accepts(_ input: TransportInput, of owner: TransportOwner) -> Bool {
        func id(_ number: UInt64) -> ID { ID(owner: owner, number: number) }
        switch input {
        case .response(_, let answer), .streamRefused(_, let answer): intake.release(answer.body.count)
        default: break
        }
        switch input {
        case .response(let number, _), .requestFailed(let number, _):
            files[id(number)] = nil
            return requests.removeValue(forKey: id(number)) != nil
        case .progress(let number, _, _): return requests[id(number)] != nil
        case .socketOpened(let number), .socketText(let number, _): return sockets[id(number)] != nil
        case .socketClosed(let number, _): return sockets.removeValue(forKey: id(number)) != nil
        case .streamOpened(let number), .streamBytes(let number, _): return streams[id(number)] != nil
        case .streamRefused(let number, _), .streamEnded(let number, _):
            return streams.removeValue(forKey: id(number)) != nil
        }
    }

    func carryOut(_ command: TransportCommand, of owner: TransportOwner) {
        func id(_ number: UInt64) -> ID { ID(owner: owner, number: number) }
        switch command {
        case .send(let request, let number): send(request, id(number))
        case .cancel(let number): cancel(id(number))
        case .discard(let number): cancel(id(number), discarding: true)
        case .openSocket(let number, let url, let headers): openSocket(id(number), url: url, headers: headers)
        case .sendText(let text, let number): sendText(text, on: id(number))
        case .closeSocket(let number): closeSocket(id(number))
        case .openStream(let number, let request): openStream(id(number), request)
        case .closeStream(let number): closeStream(id(number))
        }
    }

    private func send(_ request: TransportRequest, _ id: ID) {
        let receiver = receiver
        do throws(NetworkFailure) {
            var sent = HTTPRequest(request, caFile: caFile)
            if let file = sent.file {
                files[id] = file
                sent.progress = { done, total in
                    receiver(.progress(id: id.number, done: done, total: total < 0 ? nil : total), id.owner)
                }
            }
            requests[id] = try thread().send(sent, for: intake) { result in
                switch result {
                case .success(let response):
                    if response.status >= 400 { Log.write(.warning, "request \(id): HTTP status \(response.status)") }
                    receiver(.response(id: id.number, TransportResponse(response)), id.owner)
                case .failure(let failure):
                    Log.write(.warning, "request \(id): \(failure.message)")
                    receiver(.requestFailed(id: id.number, TransportFailure(failure)), id.owner)
                }
            }
        } catch {
            Log.write(.error, "request \(id): \(error.message)")
            requests[id] = 0
            receiver(.requestFailed(id: id.number, TransportFailure(error)), id.owner)
        }
    }

    private func cancel(_ id: ID, discarding: Bool = false) {
        let file = files.removeValue(forKey: id)
        guard let number = requests.removeValue(forKey: id) else { return }
        if discarding, case .received(let target)? = file {
            network?.cancel(number, discarding: target)
        } else {
            network?.cancel(number)
        }
    }

    private func openSocket(_ socket: ID, url: String, headers: [TransportHeader]) {
        let receiver = receiver
        var options = WebSocketOptions(url: url)
        options.headers = headers.map { ($0.name, $0.value) }
        options.caFile = caFile
        Log.write(.info, "socket \(socket): connecting")
        do throws(NetworkFailure) {
            sockets[socket] = try thread().openSocket(options, for: intake) { event in
                switch event {
                case .opened: receiver(.socketOpened(socket.number), socket.owner)
                case .text(let bytes): receiver(.socketText(socket.number, bytes), socket.owner)
                case .closed(let failure):
                    Log.write(failure.kind == .notInstalled ? .error : .info, "socket \(socket): \(failure.message)")
                    receiver(.socketClosed(socket.number, TransportFailure(failure)), socket.owner)
                }
            }
        } catch {
            Log.write(.error, "socket \(socket): \(error.message)")
            sockets[socket] = 0
            receiver(.socketClosed(socket.number, TransportFailure(error)), socket.owner)
        }
    }

    private func sendText(_ text: [UInt8], on socket: ID) {
        guard let number = sockets[socket] else { return }
        network?.sendText(number, text)
    }

    private func closeSocket(_ socket: ID) {
        guard let number = sockets.removeValue(forKey: socket) else { return }
        network?.closeSocket(number)
    }

    private func openStream(_ stream: ID, _ request: TransportRequest) {
        let receiver = receiver
        do throws(NetworkFailure) {
            streams[stream] = try thread().openStream(HTTPRequest(request, caFile: caFile), for: intake) { event in
                switch event {
                case .opened: receiver(.streamOpened(stream.number), stream.owner)
                case .bytes(let bytes): receiver(.streamBytes(stream.number, bytes), stream.owner)
                case .refused(let response):
                    Log.write(.warning, "stream \(stream): HTTP status \(response.status)")
                    receiver(.streamRefused(stream.number, TransportResponse(response)), stream.owner)
                case .ended(let failure):
                    if let failure { Log.write(.info, "stream \(stream): \(failure.message)") }
                    receiver(.streamEnded(stream.number, failure.map { TransportFailure($0) }), stream.owner)
                }
            }
        } catch {
            Log.write(.error, "stream \(stream): \(error.message)")
            streams[stream] = 0
            receiver(.streamEnded(stream.number, TransportFailure(error)), stream.owner)
        }
    }

    private func closeStream(_ stream: ID) {
        guard let number = streams.removeValue(forKey: stream) else { return }
        network?.cancel(number)
    }

    func stopReading() { intake.shut() }

    /// Reads what waited, and goes on.
    func readOn() { network?.open(intake) }

    var isReading: Bool { !intake.isShut }

    var unreadSince: Int64? { intake.unreadSince }

    private func thread() throws(NetworkFailure) -> NetworkThread {
        if let network { return network }
        let acquired = try NetworkThread.acquire()
        network = acquired
        return acquired
    }
}

extension HTTPRequest {
    fileprivate init(_ request: TransportRequest, caFile: String?) {
        self.init(
            method: request.method, url: request.url, headers: request.headers.map { ($0.name, $0.value) },
            body: request.body, timeoutMS: Int(request.timeout), caFile: caFile,
            responseLimit: TransportRequest.answerLimit)
        file = request.file.map { HTTPFile($0) }
    }
}

extension TransportResponse {
    fileprivate init(_ response: HTTPResponse) {
        self.init(
            status: response.status, headers: response.headers.map { TransportHeader($0.0, $0.1) }, body: response.body)
    }
}

extension TransportFailure {
    package init(_ failure: NetworkFailure) {
        let kind: Kind =
            switch failure.kind {
            case .timedOut: .timedOut
            case .refused: .refused(status: failure.code)
            case .notInstalled: .notInstalled
            case .tooLarge: .tooLarge
            case .crowded: .crowded
            case .closed where failure.code == 1009: .textTooLarge
            case .file: .file(DiskFile.Problem(rawValue: failure.code).map { FileProblem($0) } ?? .unreadable)
            case .cannotConnect, .tls, .cancelled, .protocolError, .closed: .failed
            }
        self.init(kind: kind, message: failure.message)
    }
}
