import SyncModel

/// Tells the service that messages of others have arrived here. A mark says "up to this message", so only the last of
/// several messages is marked: at most one mark a second for each channel.
final class DeliveryMarks: Machine {
    private static let pause: Int64 = 1000
    private static let mostIdle = 100

    private struct Entry {
        /// The message that is not marked yet.
        var waiting: MessageID?
        /// The next mark is not sent before this time, by the monotonic clock.
        var notBefore: Int64
    }

    private var entries: [ChannelURL: Entry] = [:]

    /// A message came by the service's connection.
    func arrived(_ message: MessageRecord, in url: ChannelURL, _ turn: inout Turn) {
        guard message.senderID != turn.options.userID,
            case .loggedIn(let info) = turn.connection
        else { return }
        if !info.wantsDeliveriesOfSuperChannels, let traits = turn.storage.channel(url)?.traits, traits.isSuper,
            !traits.isBroadcast
        {
            return
        }
        arrived(message.id, in: url, &turn)
    }

    private func arrived(
        _ messageID: MessageID, in url: ChannelURL, _ turn: inout Turn
    ) {
        let now = turn.now.monotonic
        if entries.count > DeliveryMarks.mostIdle {
            entries = entries.filter { $0.value.waiting != nil || $0.value.notBefore > now }
        }
        if let entry = entries[url], entry.notBefore > now {
            entries[url]?.waiting = messageID
            turn.add(.timer(.deliveries, at: nextDeadline))
        } else {
            mark(messageID, url, &turn)
        }
    }

    func markDue(_ turn: inout Turn) {
        for (url, entry) in entries.sorted(by: { $0.key < $1.key }) {
            guard let id = entry.waiting, entry.notBefore <= turn.now.monotonic else { continue }
            mark(id, url, &turn)
        }
        turn.add(.timer(.deliveries, at: nextDeadline))
    }

    /// Marks that were not sent yet are dropped: the next login does not make up for them.
    func sessionEnded(_ turn: inout Turn) {
        entries = [:]
        turn.add(.timer(.deliveries, at: nil))
    }

    private var nextDeadline: Int64? { entries.values.filter { $0.waiting != nil }.map(\.notBefore).min() }

    private func mark(_ id: MessageID, _ url: ChannelURL, _ turn: inout Turn) {
        // A user who is only invited gets messages, but marks none as delivered before joining.
        if turn.storage.channel(url)?.traits.memberState == "invited" {
            entries[url] = nil
            return
        }
        entries[url] = Entry(waiting: nil, notBefore: turn.now.monotonic + DeliveryMarks.pause)
        turn.add(.ask(.told, .markDelivered(channelURL: url, messageID: id)))
    }
}
