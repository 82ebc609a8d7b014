import SyncModel

extension ChangePoint {
    /// The text in the store: "t:" and a time, or "k:" and a token.
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

    /// From where a change log is read after a page that says `next`, and whether this page was its end.
    ///
    /// After its end the log is read again from the login time. Its answer may have overtaken events of this
    /// connection. If an older event comes after the answer, it is applied although it is older; and if the connection
    /// is lost before the newer event has come, only the log can tell what is right. The log repeats at most what
    /// changed since the login.
    static func behind(
        _ next: String, hasMore: Bool, _ since: ChangePoint, _ loginTime: Int64
    ) -> (point: ChangePoint, isEnd: Bool) {
        let isEnd = !hasMore || next.isEmpty || .token(next) == since
        return (isEnd ? .time(loginTime) : .token(next), isEnd)
    }
}
