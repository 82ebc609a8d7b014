import SyncModel
import SyncStore

/// The lists of own messages that collections show.
struct OwnLists {
    let outbox: Outbox

    func open(
        _ collection: CollectionID, _ url: ChannelURL, _ filter: MessageFilter, _ turn: inout Turn
    ) {
        outbox.windows.open(collection, url, filter, outbox.messages[url]?.intents ?? [], &turn)
    }

    /// Shows the stored messages of a list that the collection does not show yet.
    func fetch(
        failed isOfFailed: Bool, _ collection: CollectionID, _ url: ChannelURL, call: CallID, _ turn: inout Turn
    ) {
        let count = outbox.windows.fetch(
            failed: isOfFailed, collection, url, outbox.messages[url]?.intents ?? [], &turn)
        turn.complete(Completion(
            call: call, name: isOfFailed ? .fetchFailed : .fetchPending, status: .ok, count: count))
    }

    func close(_ collection: CollectionID, _ url: ChannelURL) { outbox.windows.close(collection, url) }

    func resync(_ collection: CollectionID, _ url: ChannelURL, _ turn: inout Turn) {
        outbox.windows.resync(collection, url, &turn)
    }

    /// The client closes: collections are told nothing more.
    func stopShowing() { outbox.windows = OwnWindows() }
}

extension Outbox {
    var lists: OwnLists { OwnLists(outbox: self) }
}
