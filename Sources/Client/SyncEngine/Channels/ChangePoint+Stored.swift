import SyncModel

extension ChangePoint {
    /// As kept in the store: "t:" and a time, or "k:" and a token.
    init?(storedText text: String) {
        if text.hasPrefix("k:") {
            self = .token(String(text.dropFirst(2)))
        } else if text.hasPrefix("t:"), let time = Int64(text.dropFirst(2)) {
            self = .time(time)
        } else {
            return nil
        }
    }

    var storedText: String {
        switch self {
        case .token(let token): "k:" + token
        case .time(let time): "t:" + String(time)
        }
    }
}
