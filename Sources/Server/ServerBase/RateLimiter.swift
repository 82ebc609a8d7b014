import SyncBytes

/// A token bucket for each caller: `limit` requests a second, and after a rest at most `limit` of them at once.
public final class RateLimiter {
    private struct Bucket {
        /// Thousandths of a request.
        var level: Int64
        var at: Int64
    }

    /// Requests a second, and the most at once.
    public let limit: Int64
    private var buckets: TextMap<Bucket> = [:]

    /// A limit out of 1 to 1,000,000 is taken as the nearest one.
    public init(limit: Int64) { self.limit = min(max(limit, 1), 1_000_000) }

    /// Takes one request of a caller at a time in milliseconds. `nil` when there was one left; else the milliseconds
    /// until there is.
    public func take(_ caller: String, at now: Int64) -> Int64? {
        let full = limit &* 1000
        var bucket = buckets[caller] ?? Bucket(level: full, at: now)
        // `limit` requests a second are `limit` thousandths a millisecond.
        let rested = min(max(now &- bucket.at, 0), 1000)
        bucket.level = min(full, bucket.level + rested * limit)
        bucket.at = now
        defer {
            // Full buckets are as good as none; they are dropped when there are many.
            if buckets.count > 10_000 { buckets.removeAll { now &- $0.at >= 1000 } }
            buckets[caller] = bucket
        }
        guard bucket.level >= 1000 else { return (1000 - bucket.level + limit - 1) / limit }
        bucket.level -= 1000
        return nil
    }
}
