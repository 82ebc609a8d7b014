import SyncBytes
import SyncModel
import SyncStreams

/// The machines of one client.
struct Machines {
    let session: Session
    let sync: ChannelSync
    let lists = ChannelLists()
    let typing = TypingNotices()
    let collections = MessageCollections()
    let outbox = Outbox()
    let drafts = Drafts()
    let actions = ServiceActions()
    let deliveries = DeliveryMarks()
    let mutes = MuteTimers()
    let retention = Retention()
    let budget = CacheBudget()
    let export = CacheExport()
    let search = CacheSearch()
    let notices = Notices()
    let prefetch = Prefetch()
    let streamPoint = StreamPoint()
    let streams = StreamFeeds()
    /// `nil`: the configuration names none.
    let database: DatabaseCalls?
    let resources: ResourceCalls?

    init(_ options: EngineOptions, _ storage: Storage, _ random: RandomSource) {
        session = Session(token: options.accessToken)
        sync = ChannelSync(storage)
        database = options.database.map { DatabaseCalls($0, storage, random) }
        resources = options.database.map { _ in ResourceCalls(random) }
    }

    var timelines: Timelines { collections.timelines }

    /// All machines, in the order in which they get an input that concerns all.
    private var all: [any Machine] {
        var all: [any Machine] = [
            session, sync, retention, collections, lists, outbox, drafts, actions, deliveries,
            mutes, budget, export, search, notices, prefetch,
        ]
        if let resources { all.append(resources) }
        if let database { all.append(database) }
        return all
    }

    /// Cancels a call. Returns whether one of the machines had it.
    func cancel(_ call: CallID, _ status: Status, _ turn: inout Turn) -> Bool {
        // A stream's call may wait for a fetch of the collection that feeds the stream: then that fetch is ended
        // instead.
        let stream = streams.endFetch(call, status, &turn)
        for machine in all where machine.cancel(stream.asked ?? call, status, &turn) { return true }
        return stream.isFound
    }

    func sessionEnded(_ turn: inout Turn) {
        for machine in all { machine.sessionEnded(&turn) }
    }

    func end(_ turn: inout Turn) {
        // The ends of connecting and of lists are told first.
        session.end(&turn)
        lists.end(&turn)
        for machine in all { machine.end(&turn) }
    }
}
