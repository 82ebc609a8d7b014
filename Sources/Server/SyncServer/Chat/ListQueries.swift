/// From where on changes are told.
enum ChangeStart {
    /// What an earlier answer ended with.
    case token(String)
    /// Milliseconds since the epoch.
    case time(Int64)
}

/// A page of a user's changed channels.
struct ChannelChangesQuery {
    var limit = 100
    /// `nil`: all.
    var customTypes: Set<String>?
    var showsEmpty = true
    var showsFrozen = true
    var since: ChangeStart
    var parts = ChannelView.Parts.all

    init(since: ChangeStart) { self.since = since }
}

/// A page of messages around a place.
struct MessageListQuery {
    enum Place {
        case message(Int64)
        /// Milliseconds since the epoch.
        case time(Int64)
    }

    var filter = MessageFilter()
    var parts: MessageRow.Parts = []
    var previous = 15
    var next = 15
    /// Whether what stands at the place itself comes too.
    var includes = true
    var place: Place
    /// Whether the answer says if there are more behind the page.
    var checksNext = false
    /// Whether the answer says if the filter has left something out between its messages.
    var checksContinuity = false
    var isReversed = false

    init(_ place: Place) { self.place = place }
}

/// A page of a channel's changed messages.
struct MessageChangesQuery {
    var filter = MessageFilter()
    var parts: MessageRow.Parts = []
    var limit = 100
    var since: ChangeStart

    init(since: ChangeStart) { self.since = since }
}

/// What somebody holds of a channel who was away, so that the rest is told.
struct GapQuery {
    /// A range of times, its ends included, and how many messages of it are held.
    struct Held {
        var start: Int64 = 0
        var end: Int64 = 0
        var count = 0
    }

    var filter = MessageFilter()
    var parts: MessageRow.Parts = []
    var older = Held()
    var newer = Held()
    var isReversed = false
}

/// A page of what a search finds.
struct SearchQuery {
    /// In lower case.
    var text = ""
    var limit = 20
    /// Whether the text counts as a whole, not word by word.
    var isExact = false
    var fields: Set<String> = ["message"]
    /// Empty: all channels of the user.
    var channelURL = ""
    var customType = ""
    /// Milliseconds since the epoch, both ends included.
    var from: Int64 = 0
    var to = Int64.max
    /// How many results came before this page.
    var start = 0
    var isReversed = false
}
