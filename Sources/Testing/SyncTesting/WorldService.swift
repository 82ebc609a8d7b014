import SyncJSON
import SyncManager
import SyncModel
import SyncServer
import SyncSimulation

/// The service of a world: the embedded server, at the other end of every client's network, and the files that it
/// serves.
final class WorldService: NetworkedServer, DownloadSource {
    private let server: InProcessServer
    private let admin: [(String, String)]
    /// What the server's clock shows at time 0 of the world's.
    private let start: Int64

    init(_ options: WorldOptions, seed: UInt64) throws(BorderError) {
        var served = ServerOptions()
        served.isControlled = true
        served.appID = ""
        // Clients take no address of http from a service of https.
        served.origin = "https://world"
        served.hugeGap = options.hugeGap
        served.fileLimit = options.fileLimit
        start = options.start - World.beginning
        do {
            server = try InProcessServer(served, time: options.start, seed: seed)
        } catch {
            throw BorderError(.storage, "the service cannot be made: \(error)")
        }
        admin = [("Api-Token", server.apiToken)]
    }

    // MARK: Time, by the world's clock that never jumps

    var nextDeadline: Int64? { server.nextDeadline.map { $0 - start } }

    func move(to time: Int64) { server.advance(to: start + time) }

    // MARK: What a test does

    func ask(_ method: String, _ target: String, _ body: [UInt8]) -> (status: Int, body: [UInt8]) {
        let response = server.answer(method, target, headers: admin, body: body).response
        return (response.status, response.body)
    }

    func askDatabase(_ method: String, _ target: String, _ body: [UInt8]) -> (status: Int, body: [UInt8]) {
        let owner = target + (target.contains("?") ? "&" : "?") + "auth=owner"
        let response = server.answerDatabase(method, owner, body: body).response
        return (response.status, response.body)
    }

    func close() { server.close() }

    // MARK: What the network brings

    func answer(
        _ method: String, _ target: String, _ headers: [TransportHeader], _ body: [UInt8], _ fate: Parcel.Fate
    ) -> InProcessServer.Reply {
        server.answer(method, target, headers, body, fate)
    }

    func openSocket(_ target: String, _ headers: [TransportHeader]) -> InProcessServer.Opening {
        server.openSocket(target, headers: headers.map { ($0.name, $0.value) })
    }

    func receive(_ text: [UInt8], on socket: InProcessSocket?) { socket?.receive(text) }

    func answerDatabase(_ request: TransportRequest, _ target: String) -> HTTPResponse {
        server.answerDatabase(
            request.method, target, headers: request.headers.map { ($0.name, $0.value) }, body: request.body ?? []
        ).response
    }

    func openStream(_ target: String) -> InProcessServer.Listening { server.openStream(target) }

    // MARK: Files

    func answer(_ url: String, _ headers: [(String, String)]) -> DownloadAnswer {
        let response = server.answer("GET", url.target, headers: headers).response
        // As libcurl's users get them: the names in lower case.
        let headers = response.allHeaders.map { ($0.0.lowercased(), $0.1) }
        var answer = DownloadAnswer(status: response.status, headers: headers, body: response.body)
        answer.headers.append(("content-length", String(response.body.count)))
        switch response.delivery {
        case .whole: break
        case .half: (answer.body, answer.end) = (Array(response.body.prefix(response.body.count / 2)), .broken)
        case .none: (answer.body, answer.end) = ([], .broken)
        }
        return answer
    }
}
