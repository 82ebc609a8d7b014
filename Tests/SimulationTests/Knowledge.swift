import SyncEngine
import SyncModel
import SyncStore
import TestSupport

/// What the simulation remembers about own messages, beyond what engine and server can be asked.
struct Knowledge {
    /// Own messages that were shown as pending, by request id: their text, which no two share, and their channel.
    struct Own {
        let text: String
        let channelURL: String
        /// The host was told that it failed, or took it back: nothing is owed any more.
        var isSettled = false
        /// The host saw it accepted.
        var wasPending = false
        /// The host asked for it once more.
        var wasResent = false
    }

    private(set) var own: [String: Own] = [:]
    private(set) var requestIDs: [String: String] = [:]
    /// Sends that ended without the service's word. Whether the service has the message nobody knows until the engine
    /// has asked.
    private(set) var inDoubt: Set<String> = []
    /// Messages (ids) that the host told of, not the service's connection.
    var toldByHost: Set<String> = []
    /// Messages (ids) whose time the service changed, with their channel, until the engine was at rest while it showed
    /// the channel: of one that nobody shows it asks for changes when it is opened.
    var moved: [String: String] = [:]
    /// Messages up to this time were purged everywhere, in milliseconds since the epoch.
    var purgedThrough: Int64 = 0
    /// Chooses which of them become the last message of their channel.
    var moves: SeededGenerator
    /// Channels that this user left and came into again, with the newest message (id) then, until the engine was at
    /// rest while it showed them: older messages that were hidden from the user may be there again, in the midst of
    /// those that are shown.
    var restored: [String: Int64] = [:]
    /// Another device of this user changed something since the last login that nobody is told of: a history was reset,
    /// or a count preference changed.
    var isHistoryReset: Bool { historyResetAt != nil }
    /// By the simulation's clock.
    var historyResetAt: Int64?
    /// Channels there are, and URLs of some that were deleted.
    private(set) var urls: [String] = []
    private(set) var goneURLs: [String] = []
    private var calls: [CallID: String] = [:]
    /// Own messages when they were last looked at, by request id.
    private var held: [String: Intent] = [:]

    init(seed: UInt64) { moves = SeededGenerator(seed: seed &* 41 &+ 23) }

    mutating func added(_ url: String) {
        urls.append(url)
        goneURLs.removeAll { $0 == url }
    }

    mutating func removed(_ url: String) {
        urls.removeAll { $0 == url }
        goneURLs.append(url)
    }

    mutating func write(_ requestID: String, _ text: String, _ url: String) {
        own[requestID] = Own(text: text, channelURL: url)
        requestIDs[text] = requestID
    }

    mutating func sent(_ requestID: String, call: CallID) { calls[call] = requestID }

    /// The client closed before its turn came, and says that it is stored.
    mutating func accepted(_ requestID: String) { own[requestID]?.wasPending = true }

    mutating func resent(_ ids: [String]) { for id in ids { own[id]?.wasResent = true } }

    func wasResent(_ id: String) -> Bool { own[id]?.wasResent ?? false }

    mutating func settle(_ requestID: String) { own[requestID]?.isSettled = true }

    /// Failed messages go when they are too old, and the oldest of those beyond as many as a channel keeps (`most`),
    /// also where nobody shows them. `oldest`: when one was written that is not too old, by the device's clock.
    mutating func look(at messages: [Intent], limit most: Int, oldest: Int64) {
        if held.isEmpty, messages.isEmpty { return }
        let now = Dictionary(messages.map { ($0.requestID.text, $0) }) { $1 }
        for (id, before) in held where now[id] == nil {
            // One of the others may be sent again by now, and may have failed since the last look.
            let failed = messages.count {
                let known = held[$0.requestID.text]
                return $0.channelURL == before.channelURL
                    && ($0.status == .failed || known?.status == .failed || $0.retryCount > known?.retryCount ?? 0)
            }
            if failed >= most || before.createdAt < oldest { settle(id) }
        }
        held = now
    }

    mutating func settle(allBut ids: Set<String>) { for id in own.keys where !ids.contains(id) { settle(id) } }

    /// Everything of this user is forgotten here but what is still held. Where that could not be stored, collections
    /// show what they showed.
    mutating func signedOut(holding ids: Set<String>, isForgotten: Bool) {
        settle(allBut: ids)
        guard isForgotten else { return }
        inDoubt = []
        toldByHost = []
    }

    /// Own messages leave the pending list when they are sent, failed or given up.
    mutating func told(_ change: CollectionChange) {
        if change.list == .failed, change.action == .update, change.cause.source == .localMessageFailed {
            for item in change.items { inDoubt.insert(item.id) }
        }
        if change.list != .succeeded, change.action == .remove, let reason = change.reason,
            [.removeRetentionExpired, .removeExceededMaxCount].contains(reason)
        {
            for item in change.items { settle(item.id) }
        }
        guard change.list == .pending else { return }
        if change.action == .insert { for item in change.items { own[item.id]?.wasPending = true } }
        guard change.action == .remove else { return }
        for item in change.items where change.cause.source == .localMessageFailed { inDoubt.insert(item.id) }
    }

    func wasPending(_ requestID: String) -> Bool { own[requestID]?.wasPending == true }

    mutating func completed(_ completion: Completion) {
        guard completion.name == .sendMessage, let requestID = calls.removeValue(forKey: completion.call) else {
            return
        }
        if completion.status != .ok { inDoubt.insert(requestID) }
        // Refused before it was written down: the host was told so.
        if [.storage, .removed, .canceled, .invalidArgument].contains(completion.status) {
            settle(requestID)
        }
    }

    /// The engine has asked for everything it doubted.
    mutating func nothingInDoubt(shown: Set<String>) {
        inDoubt = []
        moved = moved.filter { !shown.contains($0.value) }
        restored = restored.filter { !shown.contains($0.key) }
    }

    mutating func processEnded() {
        calls = [:]
        toldByHost = []
    }
}
