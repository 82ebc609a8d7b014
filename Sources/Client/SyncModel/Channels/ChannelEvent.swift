/// A change of a channel, as told over the socket.
public enum ChannelEvent: Equatable, Sendable {
    /// Something changed that the event does not carry: the channel has to be asked for again.
    case changed(Cause)
    /// This user came into the channel, perhaps not for the first time: events of the time in between were not told.
    /// The channel has to be asked for.
    case entered(Cause)
    /// This user is out of the channel, or the channel was deleted.
    case removed(Cause)
    /// Top-level members of the channel's JSON that have new values (raw JSON text).
    case patched(Cause, members: [ChannelPatch])
    case read(userID: UserID, at: Int64)
    case delivered([UserID: Int64])
    /// Somebody started or stopped typing; `user` is the JSON text of the user.
    case typing(userID: UserID, user: [UInt8], isTyping: Bool)
    case hidden(allowAutoUnhide: Bool, offset: Int64)

    /// The reason that hosts are told for a change by this event. The service's rules add the facts that the event
    /// itself holds. `userID` is this user: own reading has other sources than that of other members.
    public func cause(userID: UserID) -> Cause {
        switch self {
        case .changed(let cause), .entered(let cause), .removed(let cause), .patched(let cause, _): cause
        case .read(let reader, _):
            Cause(reader == userID ? .eventCurrentUserMarkedRead : .eventUserMarkedRead)
        case .delivered: Cause(.eventDeliveryStatusUpdated)
        case .typing: Cause(.eventTypingStatusUpdated)
        case .hidden: Cause(.eventChannelHidden)
        }
    }
}

public struct ChannelPatch: Equatable, Sendable {
    public var key: String
    /// JSON text of the new value.
    public var value: [UInt8]

    public init(key: String, value: [UInt8]) {
        self.key = key
        self.value = value
    }
}
