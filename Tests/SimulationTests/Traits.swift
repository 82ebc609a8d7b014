import TestSupport
import SyncModel
import SyncRealtime
import SyncEngine
import SyncSimulation

@testable import SyncManager

/// What differs from seed to seed for a whole run.
struct Traits {
    let seed: UInt64
    let hugeGap: Int
    /// Entries of a page of channels or changes; `nil`: as many as asked for.
    let pageSize: Int?
    let weather: Weather
    let isHostSlow: Bool
    /// Events that may wait for the host.
    let queueLimit: Int
    let longestHistory: Int64
    /// How far the device's clock is from the service's, in milliseconds.
    let clockError: Int64
    let policy: EngineOptions.ResendPolicy
    let capacity: Int
    /// Whether statements of the stores fail and processes die between them.
    let hasStoreFaults: Bool
    /// Failed messages that a channel keeps, and for how many days.
    let maxFailed: Int
    let retentionDays: Int
    /// Whether the service tells that a mute has run out; real ones do not always.
    let tellsMuteEnds: Bool
    /// What replies count for, as the service numbers it.
    let unreadPolicy: Int64
    let lastMessagePolicy: Int64
    let hasDatabase: Bool
    /// Whether the service refuses a request id that it knows, and does not show the message it has.
    let refusesRepeats: Bool
    /// Bytes of cached messages; how many of the newest of a channel go last, and how many go at once.
    let cacheLimit: Int64?
    let cacheFloor: Int
    let cacheSliceRows: Int
    /// For how long messages are cached.
    let messageAge: Int64?
    /// Whether messages go by requests while the connection is lost.
    let sendsByRequest: Bool
    /// Of which messages of others the host is told.
    let notify: EngineOptions.Notify
    /// Whether the host is asked which channels lose messages first.
    let evictionOrder: EngineOptions.Eviction
    /// Whether cached messages are searched, in most of the processes of a run.
    let searches: Bool
    /// What of channels that nobody looks at is cached.
    let prefetch: EngineOptions.Prefetching?

    init(seed: UInt64) {
        var random = SeededGenerator(seed: seed &* 31 &+ 7)
        self.seed = seed
        hugeGap = random.pick([5, 30, 30, 100, 300]) ?? 300
        pageSize = random.pick([2, 3, 5, 5, nil] as [Int?]) ?? nil
        weather = random.pick([Weather.fair, .usual, .usual, .usual, .bad]) ?? .usual
        isHostSlow = random.chance(40)
        queueLimit = random.pick([16, 16, 64, 100_000]) ?? 64
        longestHistory = random.pick([40, 120, 400]) ?? 40
        clockError = random.pick([0, 0, -3_600_000, 86_400_000, 250]) ?? 0
        policy = random.pick([.automatic, .automatic, .automatic, .manual, .none]) ?? .automatic
        // Some runs trim: the window is then smaller than the channel.
        capacity = random.chance(25) ? 60 : 1000
        hasStoreFaults = random.chance(35)
        tellsMuteEnds = random.chance(60)
        maxFailed = random.pick([1, 2, 1000, 1000]) ?? 1000
        retentionDays = random.pick([1, 3, 7]) ?? 7
        unreadPolicy = random.pick([1, 1, 2, 3]) ?? 1
        lastMessagePolicy = random.pick([1, 1, 2, 3]) ?? 1
        hasDatabase = random.chance(50)
        refusesRepeats = random.chance(40)
        cacheLimit = random.pick([2_000, 10_000, 40_000, nil] as [Int64?]) ?? nil
        cacheFloor = random.pick([1, 3, 20]) ?? 20
        cacheSliceRows = random.pick([1, 2, 7, 50, 500]) ?? 500
        messageAge = random.pick([60_000, 3_600_000, 86_400_000, nil, nil, nil] as [Int64?]) ?? nil
        sendsByRequest = random.chance(40)
        notify = random.pick([.none, .mentions, .all, .all]) ?? .all
        // A generator of its own: what others choose stays what it was.
        var own = SeededGenerator(seed: seed &* 53 &+ 11)
        prefetch = !own.chance(30) ? nil : EngineOptions.Prefetching(
            channels: own.pick([1, 2, Int.max, Int.max]) ?? 1, messages: own.pick([1, 30, 250, 250]) ?? 30)
        evictionOrder = own.chance(50) ? .host : .lastOpened
        searches = own.chance(70)
    }

    func options(token: String, process: Int) -> EngineOptions {
        var options = EngineOptions(userID: UserID(SimulatedService.me), accessToken: token)
        options.seed = seed &+ UInt64(process)
        options.requestTimeout = 5_000
        options.messageCollectionCapacity = capacity
        options.resendPolicy = policy
        options.maxFailedPerChannel = maxFailed
        options.failedRetentionDays = retentionDays
        options.cacheLimit = cacheLimit
        options.cacheFloor = cacheFloor
        options.cacheSliceRows = cacheSliceRows
        options.messageAge = messageAge
        options.sendsByRequest = sendsByRequest
        options.notify = notify
        options.prefetch = prefetch
        options.evictionOrder = evictionOrder
        options.searches = searches && (seed &+ UInt64(process)) % 5 != 0
        options.noticesAtOnce = EventBuffer.messagesAtOnce(limit: queueLimit)
        if hasDatabase {
            options.database = DatabaseSetup(
                DatabaseOptions(url: SimulatedService.databaseHost, name: "w"), token: "owner")
        }
        return options
    }
}
