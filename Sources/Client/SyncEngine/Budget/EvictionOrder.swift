import SyncModel
import SyncStore

/// The cache is over its limit: the question to the host which channels lose messages first.
public struct CacheFull: Equatable, Sendable {
    public struct Candidate: Equatable, Sendable {
        public var channelURL: ChannelURL
        public var usage: ChannelUsage
    }

    /// How many bytes of message rows have to be removed.
    public var bytes: Int64
    /// Channels that no collection shows, those used longest ago first.
    public var candidates: [Candidate]
    /// How many more channels may lose messages that are not in the list.
    public var others: Int
}

/// The order in which channels lose messages: first as the host has said, then by last use.
struct EvictionOrder {
    /// The most candidates that a host is told.
    static let mostCandidates = 1000
    /// Channels that are looked at in one slice.
    static let candidatesAtOnce = 200
    /// How long a host may take to answer, in milliseconds.
    static let patience: Int64 = 5_000

    /// Channels with messages; the next one to lose some is the last.
    private(set) var channels: [ChannelCounts.Used]
    /// The channels from which the host may choose; `looked`: how many channels have been examined for this.
    private(set) var candidates: [CacheFull.Candidate] = []
    private var looked = 0
    /// The numbers of the candidates in the cache.
    private var keys: [ChannelURL: Int64] = [:]

    init(_ all: [ChannelCounts.Used], first chosen: [Int64]) {
        channels = all.filter { $0.usage.bytes > 0 }.sorted {
            ($0.usage.usedAt, $0.channel) > ($1.usage.usedAt, $1.channel)
        }
        put(first: chosen)
    }

    /// The host has chosen. Returns the numbers of those that are candidates.
    mutating func put(first urls: [ChannelURL]) -> [Int64] {
        let chosen = urls.compactMap { keys.removeValue(forKey: $0) }
        put(first: chosen)
        return chosen
    }

    /// These channels lose messages first, in this order.
    private mutating func put(first chosen: [Int64]) {
        guard !chosen.isEmpty else { return }
        let ranks = Dictionary(chosen.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        let named = channels.filter { ranks[$0.channel] != nil }
        channels.removeAll { ranks[$0.channel] != nil }
        channels += named.sorted { ranks[$0.channel] ?? 0 > ranks[$1.channel] ?? 0 }
    }

    mutating func dropNext() { channels.removeLast() }

    /// Adds some more candidates; `false` when all channels have been examined, or there are enough candidates.
    mutating func name(isOpen: (ChannelURL) -> Bool, _ cache: CacheStore) throws(StoreError) -> Bool {
        let end = min(channels.count, looked + EvictionOrder.candidatesAtOnce)
        while looked < end, candidates.count < EvictionOrder.mostCandidates {
            let next = channels[channels.count - 1 - looked]
            looked += 1
            guard let url = try cache.room.channelURL(ofKey: next.channel), !isOpen(url) else { continue }
            keys[url] = next.channel
            candidates.append(CacheFull.Candidate(channelURL: url, usage: next.usage))
        }
        return looked < channels.count && candidates.count < EvictionOrder.mostCandidates
    }

    func asked(bytes: Int64) -> CacheFull {
        CacheFull(bytes: bytes, candidates: candidates, others: channels.count - looked)
    }
}
