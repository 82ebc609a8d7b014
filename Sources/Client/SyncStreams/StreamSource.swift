import SyncModel

/// Where a stream's rows come from.
public enum StreamSource: Sendable {
    /// The host adds and removes them.
    case transient
    /// A feeder outside this module has them, from a collection or a database, and gives them as `StreamInput`s.
    case external(ExternalSource)
    /// The rows of other streams together, in the order of the first one. Of several rows with one key, that of the
    /// earliest stream is shown.
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

    /// Whether the source has an order of its own, which cannot be seen from the rows. A place of the database has one
    /// when `order_by` names it; otherwise its children come by their keys.
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

/// A source that this module knows only by its description. The feeder opens it and gives its rows.
public enum ExternalSource: Sendable {
    case channels(ChannelQuery)
    case messages(channelURL: ChannelURL, MessageFilter, viewpoint: Int64)
    /// The children of a place; the arguments are those of the action `database_listen`.
    case database(ActionCall)
}
