import SyncModel
import SyncStreams

/// What a host asks of the engine and gets a result of: one completion, whatever happens.
public enum HostCall: Sendable {
    case connect
    /// Forgets this user: the connection, the token, the cache, own messages that are not the service's.
    case signOut
    case clearCache(channelURL: ChannelURL?)
    /// Opens a collection of a channel that is in the cache; of another one nothing is opened.
    indirect case openCached(id: CollectionID, channelURL: ChannelURL, filter: MessageFilter, viewpoint: Int64)
    case fetch(collection: CollectionID, direction: PageDirection)
    /// Every message that is newer than what is shown.
    case fetchAllNext(collection: CollectionID)
    /// Own messages that are stored and not shown.
    case fetchFailed(collection: CollectionID)
    case fetchPending(collection: CollectionID)
    /// The page around the viewpoint, of messages: from the cache at once, then as the service says.
    case start(collection: CollectionID)
    /// About an own message of the channel or thread that a collection shows.
    indirect case own(OwnMessageCall, in: CollectionID)
    /// Anything of the table of actions.
    indirect case action(ActionCall)
    /// Something of the realtime database.
    indirect case database(DatabaseRequest)
    /// Something of the objects in it.
    indirect case resource(ResourceCall)
    indirect case stream(StreamRequest, of: UInt64)

    /// What the border and a client that closes have to know of any call.
    public struct Profile: Sendable {
        public let name: Completion.Name
        public let action: Action?
        /// The bytes of its texts, which count until its result is drained. Those of a collection stay as long as the
        /// collection, which the host removes, and do not count.
        public let textBytes: Int
        /// Whether it is carried out even by a client that is closing: it keeps, changes or gives up an own message or
        /// a write to the database, which must not depend on how busy the engine was, or opens the collection that
        /// this needs.
        let isDoneWhenClosing: Bool
        /// How it ends when a sign-out waits behind it, which erases whatever it would leave; `nil`: as ever.
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
        case .clearCache(let url): Profile(.clearCache, textBytes: url?.text.utf8.count ?? 0)
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
                isDoneWhenClosing: [.library(.setDraft), .library(.acknowledge)].contains(action.action))
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

    /// Its result when it is not carried out.
    func completion(_ id: CallID, _ status: Status) -> Completion {
        let profile = profile
        return Completion(call: id, name: profile.name, status: status, action: profile.action)
    }

    /// Its result when a sign-out waits behind it; `nil`: it is carried out all the same.
    func completionBeforeSignOut(_ id: CallID) -> Completion? {
        guard let status = profile.endBeforeSignOut else { return nil }
        var completion = completion(id, status)
        if status == .canceled { completion.explanation = Completion.signedOut }
        return completion
    }
}
