import SyncModel
import SyncStreams

/// A request of a host to the engine that has a result: exactly one completion, whatever happens.
public enum HostCall: Sendable {
    case connect
    /// Forgets this user: the connection, the token, the cache, and own messages that the service does not have.
    case signOut
    case clearCache(channelURL: ChannelURL?)
    /// Opens a collection if its channel is in the cache; otherwise nothing is opened.
    indirect case openCached(id: CollectionID, channelURL: ChannelURL, filter: MessageFilter, viewpoint: Int64)
    case fetch(collection: CollectionID, direction: PageDirection)
    /// Fetches all messages that are newer than the shown ones.
    case fetchAllNext(collection: CollectionID)
    /// Shows own messages that are stored and not shown yet.
    case fetchFailed(collection: CollectionID)
    case fetchPending(collection: CollectionID)
    /// The page around the viewpoint, for messages: first from the cache, then as the service tells it.
    case start(collection: CollectionID)
    /// A call about an own message of the channel or thread that a collection shows.
    indirect case own(OwnMessageCall, in: CollectionID)
    /// Any action of the table of actions.
    indirect case action(ActionCall)
    /// An operation on the realtime database.
    indirect case database(DatabaseRequest)
    /// An operation on resources in the realtime database.
    indirect case resource(ResourceCall)
    indirect case stream(StreamRequest, of: UInt64)

    /// What the C interface, and a client that closes, need to know of any call.
    public struct Profile: Sendable {
        public let name: Completion.Name
        public let action: Action?
        /// The bytes of the call's texts. They count until its result is drained. The texts of a collection do not
        /// count: they stay until the host removes the collection.
        public let textBytes: Int
        /// Whether the call is carried out even when the client is closing. True when it stores, changes or gives up an
        /// own message or a write to the database, since this must not depend on how busy the engine was; and when it
        /// opens the collection that such a call needs.
        let isDoneWhenClosing: Bool
        /// How the call ends when a sign-out waits behind it, which would erase whatever the call stores, or end the
        /// session before the service has answered; `nil`: it is carried out as usual.
        let endBeforeSignOut: Status?

        init(
            _ name: Completion.Name, _ action: Action? = nil, textBytes: Int = 0, isDoneWhenClosing: Bool = false,
            endBeforeSignOut: Status? = nil
        ) {
            self.name = name
            self.action = action
            self.textBytes = textBytes
            self.isDoneWhenClosing = isDoneWhenClosing
            self.endBeforeSignOut = endBeforeSignOut
        }
    }

    public var profile: Profile {
        switch self {
        case .connect: Profile(.connect)
        case .signOut: Profile(.signOut)
        case .clearCache(let url):
            Profile(.clearCache, textBytes: url?.text.utf8.count ?? 0, endBeforeSignOut: .canceled)
        case .openCached: Profile(.openCached, isDoneWhenClosing: true)
        case .fetch: Profile(.fetch)
        case .fetchAllNext: Profile(.fetchAllNext)
        case .fetchFailed: Profile(.fetchFailed)
        case .fetchPending: Profile(.fetchPending)
        case .start: Profile(.start)
        case .own(let own, _): own.profile
        case .action(let action):
            Profile(
                .call, action.action, textBytes: action.textBytes,
                isDoneWhenClosing: [.library(.setDraft), .library(.acknowledge)].contains(action.action),
                endBeforeSignOut: action.action.spec.connection == .login ? .notConnected : nil)
        case .database(let request):
            Profile(
                .call, request.action, textBytes: request.textBytes, isDoneWhenClosing: request.operation.isWrite,
                endBeforeSignOut: request.operation.isEndedBySignOut ? .canceled : nil)
        case .resource(let request):
            Profile(
                .call, request.action, textBytes: request.textBytes, isDoneWhenClosing: request.isWrite,
                endBeforeSignOut: request.isWrite ? .canceled : nil)
        case .stream(let request, _): Profile(.streamCall, textBytes: request.textBytes)
        }
    }

    /// The result of a call that is not carried out.
    func completion(_ id: CallID, _ status: Status) -> Completion {
        let profile = profile
        return Completion(call: id, name: profile.name, status: status, action: profile.action)
    }

    /// The result of a call when a sign-out waits behind it; `nil`: the call is carried out all the same.
    func completionBeforeSignOut(_ id: CallID) -> Completion? {
        guard let status = profile.endBeforeSignOut else { return nil }
        var completion = completion(id, status)
        if status == .canceled { completion.explanation = Completion.signedOut }
        return completion
    }
}
