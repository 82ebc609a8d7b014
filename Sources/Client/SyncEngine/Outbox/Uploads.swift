import SyncBytes
import SyncModel

/// Files of own messages on their way to the service: which are, and when those that failed are tried again.
struct Uploads {
    /// Milliseconds until a file that failed is tried once more, before its message has failed.
    private static let pause: Int64 = 1000

    /// The messages of which a file is under way.
    private(set) var running: Set<RequestID> = []
    /// The messages of which a file has failed once, and when it may be tried again.
    private var failedOnce: [RequestID: Int64] = [:]
    /// Waits after failures that an attempt may cure.
    private var gates: [ChannelURL: RetryGate] = [:]

    var isEmpty: Bool { running.isEmpty && failedOnce.isEmpty && gates.isEmpty }

    mutating func begin(_ requestID: RequestID) { running.insert(requestID) }

    /// It is not under way any more, without having failed.
    mutating func end(_ requestID: RequestID) { running.remove(requestID) }

    mutating func succeed(_ requestID: RequestID, in url: ChannelURL) {
        running.remove(requestID)
        failedOnce[requestID] = nil
        gates[url] = nil
    }

    /// `true`: it is tried once more. `false`: the message has failed.
    mutating func fail(
        _ requestID: RequestID, in url: ChannelURL, _ failure: ServiceFailure, isCurable: Bool, now: Int64,
        _ random: RandomSource
    ) -> Bool {
        running.remove(requestID)
        let isSecond = failedOnce.removeValue(forKey: requestID) != nil
        guard isCurable else { return false }
        guard isSecond else {
            failedOnce[requestID] = now + Uploads.pause
            return true
        }
        gates[url, default: RetryGate()].fail(failure, at: now, random)
        return false
    }

    /// When a file of a message may be tried, by the monotonic clock; `nil`: now.
    mutating func pausedUntil(_ requestID: RequestID, in url: ChannelURL, now: Int64) -> Int64? {
        if gates[url]?.isOpen(at: now) == false { return gates[url]?.pausedUntil }
        return failedOnce[requestID].flatMap { $0 > now ? $0 : nil }
    }

    /// A message is not there any more.
    mutating func forget(_ requestID: RequestID) {
        running.remove(requestID)
        failedOnce[requestID] = nil
    }

    /// Messages whose file has failed once and that are not there any more.
    mutating func forget(where isGone: (RequestID) -> Bool) {
        failedOnce = failedOnce.filter { !isGone($0.key) }
    }

    /// The failures of this session say nothing about the next one.
    mutating func sessionEnded() { self = Uploads() }
}
