import SyncModel
import SyncTree

@testable import SyncRealtime

extension DatabaseOutput {
    /// As a line: what is to be sent, or what is told.
    var line: String {
        switch self {
        case .transport(.send(let request, let id)):
            let body = request.body.map { " " + String(decoding: $0, as: UTF8.self) } ?? ""
            return "\(id) \(request.method) \(request.url.dropFirst("https://".count))\(body)"
        case .transport(.cancel(let id)): return "\(id) cancel"
        case .transport(.openStream(let id, let request)):
            return "\(id) stream \(request.url.dropFirst("https://".count))"
        case .transport(.closeStream(let id)): return "\(id) close"
        case .transport(let command): return "no use of \(command)"
        case .value(let listen, let node, let isCurrent): return "\(listen) \(isCurrent ? "=" : "~") \(node.text)"
        case .unheard(let listen): return "\(listen) unheard"
        case .listenEnded(let listen, let failure): return "\(listen) ended \(failure.message)"
        case .read(let id, .success(let node), let isCurrent): return "\(id) read \(isCurrent ? "" : "~ ")\(node.text)"
        case .read(let id, .failure(let failure), _): return "\(id) unread \(failure.message)"
        case .transform(let id, let node): return "\(id) transform \(node.text)"
        case .transactionEnded(let id, .success(let node)): return "\(id) ended \(node.text)"
        case .transactionEnded(let id, .failure(let failure)): return "\(id) ended \(failure.message)"
        case .writeEnded(let id, nil): return "\(id) written"
        case .writeEnded(let id, let failure?): return "\(id) refused \(failure.message)"
        case .tokenNeeded: return "token"
        }
    }
}

extension TreeNode {
    /// As JSON.
    var text: String { String(decoding: json(), as: UTF8.self) }
}
