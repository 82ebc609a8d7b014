import SyncBytes
import SyncModel

/// Files of own messages that are being uploaded, and when failed uploads are retried.
struct Uploads {
    /// Milliseconds until the one retry of a failed file; if that fails too, the message fails.
    private static let pause: Int64 = 1000

    /// Messages with an upload in flight.
    private(set) var running: Set<RequestID> = []
    /// Messages with a file that has failed once, and when it may be retried.
    private var failedOnce: [RequestID: Int64] = [:]
    /// Pauses after failures for which a retry makes sense.
    private var gates: [ChannelURL: RetryGate] = [:]

    var isEmpty: Bool { running.isEmpty && failedOnce.isEmpty && gates.isEmpty }

    mutating func begin(_ requestID: RequestID) { running.insert(requestID) }

    /// The upload is not in flight any more, but did not fail.
    mutating func end(_ requestID: RequestID) { running.remove(requestID) }

    mutating func succeed(_ requestID: RequestID, in url: ChannelURL) {
        running.remove(requestID)
        failedOnce[requestID] = nil
        gates[url] = nil
    }

    /// `true`: the file is retried. `false`: the message has failed.
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

    /// When a file of a message may be uploaded, by the monotonic clock; `nil`: now.
    mutating func pausedUntil(_ requestID: RequestID, in url: ChannelURL, now: Int64) -> Int64? {
        if gates[url]?.isOpen(at: now) == false { return gates[url]?.pausedUntil }
        return failedOnce[requestID].flatMap { $0 > now ? $0 : nil }
    }

    /// A message was removed.
    mutating func forget(_ requestID: RequestID) {
        running.remove(requestID)
        failedOnce[requestID] = nil
    }

    /// Forgets failed files of messages that were removed.
    mutating func forget(where isGone: (RequestID) -> Bool) {
        failedOnce = failedOnce.filter { !isGone($0.key) }
    }

    /// Failures of this session must not delay uploads in the next one.
    mutating func sessionEnded() { self = Uploads() }
}
