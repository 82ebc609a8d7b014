import ServerBase
import SyncBytes
import SyncJSON

// The rules of the chat, apart from how wishes come in: REST routes and socket commands call the same actions here.
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
    /// Of the rules alone: who asks them has no way past them.
    let storage: Storage
    public let clock: Clock
    public let timers: TimerQueue
    public let hub: SocketHub
    public let options: ChatOptions

    /// Delivery marks of this moment, told together: with many members each message brings one mark from each.
    public var delivered: [Int64: TextMap<Int64>] = [:]
    public var isTellingDeliveries = false
    /// Acknowledgements that the control endpoint wants lost.
    public var acksToLose = 0
    /// A request id that comes again is refused, as by a service that does not show what it has.
    public var refusesRepeats = false
    /// What the one timer for things that happen by themselves waits for; 0 when it is not set.
    public var arrangedFor: Int64 = 0
    /// Read by `loadSettings`, changed by `changeSettings`.
    public var settings = ApplicationSettings()
    /// What is to be done once a whole request is accepted; `nil` when nothing is kept back.
    private var held: [() -> Void]?

    public init(storage: Storage, clock: Clock, timers: TimerQueue, hub: SocketHub, options: ChatOptions) {
        self.storage = storage
        self.clock = clock
        self.timers = timers
        self.hub = hub
        self.options = options
    }

    public var now: Int64 { clock.now() }

    /// What is told of users and of the application.
    public var users: UserDirectory { UserDirectory(storage, at: now) }

    /// What is told of channels.
    public var contents: ChannelContents { ChannelContents(storage, at: now) }

    /// A user that exists and is active.
    public func activeUser(_ id: String) throws -> UserRow {
        guard let user = try storage.user(id) else { throw Refusal.noUser() }
        guard user.isActive else { throw Refusal(400_300, "The user is deactivated.") }
        return user
    }

    public func channel(_ url: String) throws -> ChannelRow {
        guard let channel = try storage.channel(url) else { throw Refusal.noChannel() }
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
        if broadcast.carriesUnread { return sendWithUnread(broadcast) }
        hub.send(broadcast.frame, to: broadcast.users, except: broadcast.except)
    }

    /// Does what no rollback undoes: at once, or when the action that `atomically` runs is stored.
    public func finally(_ action: @escaping () -> Void) {
        if held != nil {
            held?.append(action)
        } else {
            action()
        }
    }

    /// Does something as a whole or not at all: what it stored is undone and nobody hears of it when it throws.
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
