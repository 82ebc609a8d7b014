/// A poll that a message holds changed.
///
/// A change that is told to all members does not say what this user chose, so the known choice is kept.
public struct PollChange: Equatable, Sendable {
    public enum Kind: Equatable, Sendable {
        /// JSON text of the poll as it is now.
        case edited([UInt8])
        /// JSON text of an event that says how often each option was chosen now, and what this user chose if it was
        /// this user who voted.
        case voted([UInt8])
        /// The poll was removed. The message stays.
        case removed
    }

    /// The service's id, as text.
    public var pollID: String
    public var kind: Kind

    public init(pollID: String, kind: Kind) {
        self.pollID = pollID
        self.kind = kind
    }
}
