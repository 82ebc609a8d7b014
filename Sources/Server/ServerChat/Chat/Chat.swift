import ServerBase
import SyncBytes
import SyncJSON

// The rules of the chat, in whichever way they are asked: REST routes and socket commands call the same actions here.
//
// - Every action is one transaction and then its broadcasts: nobody hears of something that is not stored.
// - The order of a channel is (created_at, message_id). created_at is this server's clock, which never runs backwards;
//   messages of the same millisecond are told apart by their ids, which only grow.
// - Changelogs go by change numbers, not by times: a token is the number of the last change it covers, so no change can
//   slip between two reads. A new message is a change of its channel, not an entry of the message changelog.
// - Unread counts are not stored per message and member. A channel counts its countable messages, a member remembers
//   that number from the last read and counts its own messages since; the difference is what waits.

/// The chat itself.
public final class Chat {
    /// Only for the rules, so that those who call the chat cannot go past them.
    let storage: Storage
    public let clock: Clock
    public let timers: TimerQueue
    public let hub: SocketHub
    public let options: ChatOptions
    public let dueTimer: DueTimer

    /// Delivery marks that wait to be told together: with many members, each message brings one mark from each of them.
    public var delivered: [Int64: TextMap<Int64>] = [:]
    public var isTellingDeliveries = false
    /// How many acknowledgements are not sent, because a test asked for that at the control endpoint.
    public var acksToLose = 0
    /// Whether a request id that comes again is refused, as by a service that does not give the first message again.
    public var refusesRepeats = false
    /// Read by `ApplicationRules`, and changed by them.
    public var settings = ApplicationSettings()
    /// Actions that wait until the work of `atomically` is stored; `nil` outside of it.
    private var held: [() -> Void]?

    public init(storage: Storage, clock: Clock, timers: TimerQueue, hub: SocketHub, options: ChatOptions) {
        self.storage = storage
        self.clock = clock
        self.timers = timers
        self.hub = hub
        self.options = options
        dueTimer = DueTimer(storage, clock, timers)
    }

    public var now: Int64 { clock.now() }

    /// What is told of users and of the application.
    public var users: UserDirectory { UserDirectory(storage, at: now) }

    /// How many messages wait for users.
    public var unread: UnreadCounts { UnreadCounts(storage, hub, at: now) }

    /// What is told of channels.
    public var contents: ChannelContents { ChannelContents(storage, at: now) }

    /// A user that exists and is active.
    public func activeUser(_ id: String) throws -> UserRow {
        guard let user = try storage.users.user(id) else { throw Refusal.noUser() }
        guard user.isActive else { throw Refusal(400_300, "The user is deactivated.") }
        return user
    }

    public func channel(_ url: String) throws -> ChannelRow {
        guard let channel = try storage.channels.channel(url) else { throw Refusal.noChannel() }
        return channel
    }

    /// Stores what `body` changes, then tells. `body` returns what to tell once it is stored.
    public func change<T>(_ body: (inout [Broadcast]) throws -> T) throws -> T {
        var broadcasts: [Broadcast] = []
        let result = try storage.transaction { try body(&broadcasts) }
        for broadcast in broadcasts { tell(broadcast) }
        return result
    }

    public func tell(_ broadcast: Broadcast) {
        finally { [weak self] in self?.send(broadcast) }
    }

    private func send(_ broadcast: Broadcast) {
        if broadcast.carriesUnread { return unread.send(broadcast) }
        hub.send(broadcast.frame, to: broadcast.users, except: broadcast.except)
    }

    /// Does what a rollback cannot undo: at once, or inside `atomically` when its work is stored.
    public func finally(_ action: @escaping () -> Void) {
        if held != nil {
            held?.append(action)
        } else {
            action()
        }
    }

    /// Does `body` as a whole or not at all: when it throws, what it stored is undone, and nobody is told of it.
    public func atomically<T>(_ body: () throws -> T) throws -> T {
        guard held == nil else { return try body() }
        held = []
        defer { held = nil }
        let result = try storage.transaction(body)
        let actions = held ?? []
        held = nil
        for action in actions { action() }
        return result
    }
}
