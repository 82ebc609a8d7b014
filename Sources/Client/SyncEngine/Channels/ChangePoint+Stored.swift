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

    /// From where a change log is read behind a page that says `next`, and whether the page was its end.
    ///
    /// Behind its end it is read from the login once more. The answer may have overtaken events of this connection: an
    /// older one that comes behind it is believed, and when the connection is lost before the newer one has come, the
    /// log is all that tells. What it repeats is what changed while it was asked for.
    static func behind(
        _ next: String, hasMore: Bool, _ since: ChangePoint, _ loginTime: Int64
    ) -> (point: ChangePoint, isEnd: Bool) {
        let isEnd = !hasMore || next.isEmpty || .token(next) == since
        return (isEnd ? .time(loginTime) : .token(next), isEnd)
    }
}
