import SyncEngine
import SyncModel

/// What the engine has to hear of since the host drained events.
struct DrainWants {
    /// The collections that the engine has to resync, with the number of dropped events.
    var resyncs: [CollectionID: Int] = [:]
    /// How many of the messages that `notify` tells were taken.
    var tookMessages = 0

    var posts: [HostPost] {
        var posts: [HostPost] = []
        if tookMessages > 0 { posts.append(.tookMessages(tookMessages)) }
        if !resyncs.isEmpty { posts.append(.resync(collections: resyncs)) }
        return posts
    }
}
