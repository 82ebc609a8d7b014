import ServerBase
import SyncBytes

/// From where on changes are told.
public enum ChangeStart {
    /// The token with which an earlier answer ended.
    case token(String)
    /// Milliseconds since the epoch.
    case time(Int64)
}

/// A page of a user's changed channels.
public struct ChannelChangesQuery {
    public var limit = 100
    /// `nil`: all.
    public var customTypes: TextSet?
    public var showsEmpty = true
    public var showsFrozen = true
    public var since: ChangeStart
    public var parts = ChannelView.Parts.all

    public init(since: ChangeStart) { self.since = since }
}

/// A page of messages around a place.
public struct MessageListQuery {
    public enum Place {
        case message(Int64)
        /// Milliseconds since the epoch.
        case time(Int64)
    }

    public var filter = MessageFilter()
    public var parts: MessageRow.Parts = []
    public var previous = 15
    public var next = 15
    /// Whether what stands at the place itself comes too.
    public var includes = true
    public var place: Place
    /// Whether the answer says if there are more behind the page.
    public var checksNext = false
    /// Whether the answer says if the filter has left something out between its messages.
    public var checksContinuity = false
    public var isReversed = false

    public init(_ place: Place) { self.place = place }
}

/// A page of a channel's changed messages.
public struct MessageChangesQuery {
    public var filter = MessageFilter()
    public var parts: MessageRow.Parts = []
    public var limit = 100
    public var since: ChangeStart

    public init(since: ChangeStart) { self.since = since }
}

/// The messages that a client has of a channel, when it was away, so that it gets the others.
public struct GapQuery {
    /// A range of times, its ends included, and how many messages of it are held.
    public struct Held {
        public var start: Int64 = 0
        public var end: Int64 = 0
        public var count = 0

        public init() {}
    }

    public var filter = MessageFilter()
    public var parts: MessageRow.Parts = []
    public var older = Held()
    public var newer = Held()
    public var isReversed = false

    public init() {}
}

/// A page of what a search finds.
public struct SearchQuery {
    /// The text that is searched for, in lower case.
    public var text = ""
    public var limit = 20
    /// Whether the text counts as a whole, not word by word.
    public var isExact = false
    public var fields: TextSet = ["message"]
    /// Empty: all channels of the user.
    public var channelURL = ""
    public var customType = ""
    /// Milliseconds since the epoch, both ends included.
    public var from: Int64 = 0
    public var to = Int64.max
    /// How many results came before this page.
    public var start = 0
    public var isReversed = false

    public init() {}
}
