import SyncModel

/// Where a stream's rows come from.
public enum StreamSource: Sendable {
    /// The host adds and removes them.
    case transient
    /// Somebody beside the streams knows them: a collection, a database. Told by `StreamInput`s.
    case external(ExternalSource)
    /// The rows of other streams together. The first one's order holds, and its row where several have a key.
    case union([UInt64])
    /// The rows of another stream, in sections.
    case partition(of: UInt64, titles: [String], SectionRule)

    public enum Kind: String, Sendable, CaseIterable { case channels, messages, database, transient, union, partition }

    public var kind: Kind {
        switch self {
        case .transient: .transient
        case .external(.channels): .channels
        case .external(.messages): .messages
        case .external(.database): .database
        case .union: .union
        case .partition: .partition
        }
    }

    /// Whether it has its rows in an order that does not show in them. A place of the database does when it is asked
    /// for one; else its children come by their keys.
    var hasOrder: Bool {
        switch self {
        case .external(.database(let call)): call.text("order_by") != nil
        case .external: true
        case .transient, .union, .partition: false
        }
    }

    /// The streams it is made of.
    public var streams: [UInt64] {
        switch self {
        case .union(let streams): streams
        case .partition(let stream, _, _): [stream]
        case .transient, .external: []
        }
    }
}

/// A source that this room only knows by name. Whoever feeds streams opens it, and tells what it has.
public enum ExternalSource: Sendable {
    case channels(ChannelQuery)
    case messages(channelURL: ChannelURL, MessageFilter, viewpoint: Int64)
    /// The children of a place; which one, and which of them, as the action `database_listen` says it.
    case database(ActionCall)
}
