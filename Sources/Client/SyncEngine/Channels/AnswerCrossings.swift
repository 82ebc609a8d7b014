import SyncModel

/// Channels that facts touched while actions were under way.
///
/// An answer is as old as the moment the service made it. Of a channel that a fact touched since it was asked for,
/// nobody can tell which of the two is newer.
struct AnswerCrossings {
    private var touched: [CallID: Set<ChannelURL>] = [:]

    mutating func began(_ call: CallID) { touched[call] = [] }

    /// The answer came, or none will. Gives the channels it must not be believed about.
    mutating func ended(_ call: CallID) -> Set<ChannelURL> { touched.removeValue(forKey: call) ?? [] }

    mutating func touch(_ url: ChannelURL) {
        for call in touched.keys { touched[call]?.insert(url) }
    }
}
