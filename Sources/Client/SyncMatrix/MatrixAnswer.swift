import SyncJSON
import SyncModel

/// An answer of the homeserver.
struct MatrixAnswer {
    let status: Int
    /// `nil`: the body is no JSON object.
    let document: JSON?
    private let headers: [TransportHeader]

    init(_ response: TransportResponse) {
        status = response.status
        headers = response.headers
        document = (try? JSON.parse(response.body)).flatMap { $0.kind == .object ? $0 : nil }
    }

    var isGood: Bool { status == 200 && document != nil }

    /// How long the server asks to wait, in milliseconds; a second when it does not say.
    var pause: Int64 {
        if let told = document?["retry_after_ms"]?.int, told >= 0, told < 86_400_000 { return told }
        for header in headers where header.name.lowercased() == "retry-after" {
            if let seconds = Int64(header.value), seconds >= 0, seconds < 86_400 { return seconds * 1000 }
        }
        return 1000
    }
}
