import SyncModel

/// Channels that facts touched while actions were in flight.
///
/// An answer is as old as the moment at which the service made it. If a fact touched a channel after the action was
/// sent, nobody can tell which of the two is newer.
struct AnswerCrossings {
    private var touched: [CallID: Set<ChannelURL>] = [:]

    mutating func began(_ call: CallID) { touched[call] = [] }

    /// The answer came, or none will. Returns the channels about which the answer may be out of date.
    mutating func ended(_ call: CallID) -> Set<ChannelURL> { touched.removeValue(forKey: call) ?? [] }

    mutating func touch(_ url: ChannelURL) {
        for call in touched.keys { touched[call]?.insert(url) }
    }
}
