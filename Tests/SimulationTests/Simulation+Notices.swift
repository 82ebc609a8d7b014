import SyncJSON
import SyncModel
import SyncStore
import TestSupport

@testable import SyncEngine

/// Messages of others that the host is told of until it acknowledges them (`"notify"`): each at least once, and none
/// again that was acknowledged.
extension Simulation {
    /// The host is done with what it has taken.
    func noticeAct() {
        guard let id = notices.toAcknowledge, notices.random.chance(40) else { return }
        notices.toAcknowledge = nil
        let (call, process) = (newCall("acknowledge"), processNumber)
        command(.call(call, .action(ActionCall(action: .library(.acknowledge), arguments: ["id": .integer(id)]))))
        guard process == processNumber, results[call]?.status == .ok else { return }
        notices.acknowledged = max(notices.acknowledged, id)
    }

    /// The engine tells one.
    func takeIn(_ message: ReceivedMessage) {
        do { try checkTold(message) } catch { violation = violation ?? error as? Violation }
    }

    private func checkTold(_ event: ReceivedMessage) throws {
        func fail(_ why: String) throws -> Never {
            throw Violation(description: "message_received \(event.id) in \(event.channelURL): \(why)")
        }
        let json = try JSON.parse(event.json)
        let id = String(json["message_id"]?.int ?? 0)
        if traits.notify == .none { try fail("nothing was to be told") }
        if json["user"]?["user_id"]?.string == SimulatedService.me { try fail("\(id) is an own one") }
        if json["silent"]?.bool == true { try fail("\(id) is silent") }
        if event.id <= notices.acknowledged { try fail("up to \(notices.acknowledged) all is acknowledged") }
        if event.id <= notices.last { try fail("it comes behind \(notices.last)") }
        notices.last = event.id
        let place = try noticePlace(event.channelURL.text)
        if let known = notices.events[event.id] {
            if known.messageID != id { try fail("it was \(known.messageID), and is \(id)") }
        } else {
            // Who leaves and comes again, or signs out, is told anew, and so is what the service gave a later time.
            if let other = notices.ids[id], notices.events[other]?.place == place,
                !notices.moved.contains(json["message_id"]?.int ?? 0)
            {
                try fail("\(id) was told as \(other) before")
            }
            if traits.notify == .mentions, !event.isMention { try fail("\(id) mentions nobody") }
            notices.events[event.id] = (id, event.channelURL.text, place)
        }
        notices.ids[id] = event.id
        if event.missed != MissedNotices() { notices.missing.insert(id) }
        if event.missed.count > 0 { seen.insert("missed messages") }
        if event.missed.mayBeMore { seen.insert("more missed messages") }
    }

    /// Which channel it is, and which membership of it.
    private func noticePlace(_ url: String) throws -> String {
        var membership = notices.memberships[url]
        if membership?.version != service.version {
            guard let channel = service.channel(url) else { return "gone \(time)" }
            let text = ["id", "joined_ts", "invited_at"].map { channel[$0]?.text ?? "" }.joined(separator: " ")
            membership = (service.version, text)
            notices.memberships[url] = membership
        }
        return "\(signOuts) \(membership?.text ?? "") \(service.offset(url)) \(notices.left[url] ?? 0)"
    }

    /// A page may tell of messages of the new membership before the socket tells that the old one has ended: what was
    /// told of the channel is forgotten then, and told anew.
    func noteLeft(_ frame: [UInt8]) {
        guard frame.starts(with: "SYEV".utf8), let body = try? JSON.parse(Array(frame.dropFirst(4))),
            let url = body["channel_url"]?.string, let category = body["cat"]?.int
        else { return }
        let isOfMe = body["data"]?["user_id"]?.string == SimulatedService.me
        if category == 12_000 || category == 10_001 && isOfMe { notices.left[url, default: 0] += 1 }
    }

    /// The host takes one out of its queue.
    func took(_ output: HostOutput) {
        guard case .event(.client(.messageReceived(let event))) = output,
            let id = (try? JSON.parse(event.json))?["message_id"]?.int
        else { return }
        notices.taken.insert(String(id))
        if notices.random.chance(70) { notices.toAcknowledge = event.id }
    }

    // MARK: What must hold

    /// A deletion that the socket brings takes its message out of those that are told again.
    func checkDeleted(_ frame: [UInt8]) throws {
        guard traits.notify != .none, !traits.hasStoreFaults, frame.starts(with: "DELM".utf8),
            let body = try? JSON.parse(Array(frame.dropFirst(4))), let url = body["channel_url"]?.string,
            let id = body["msg_id"]?.int ?? body["message_id"]?.int
        else { return }
        if try device.cache.notices.notice(of: MessageID(number: id), in: ChannelURL(url)) == nil { return }
        throw Violation(description: "\(id) in \(url) was deleted, and would be told again")
    }

    /// With nothing more to come every message has been told that is there and was to be told, but for those before
    /// which it was said that some are missing.
    func checkNotices() throws {
        guard traits.notify != .none, let since = try device.cache.notices.since() else { return }
        let waiting = try device.cache.notices.notices(after: 0, limit: Int.max)
        if let untold = waiting.first(where: { !notices.taken.contains($0.messageID.text) }) {
            throw Violation(description: "\(untold.messageID) in \(untold.channelURL) waits, and was never told")
        }
        if let url = try device.cache.notices.wanted().first(where: { service.channel($0.text) != nil }) {
            throw Violation(description: "\(url) is still to be asked for messages")
        }
        for url in knowledge.urls {
            guard let channel = service.channel(url), channel["member_state"]?.string == "joined" else { continue }
            // The time of joining is in seconds.
            let joined = ChannelRecord.milliseconds(channel["joined_ts"]?.int ?? 0) + 1000
            try checkNotices(of: url, since: max(since + 1, joined, service.offset(url)))
        }
    }

    private func checkNotices(of url: String, since: Int64) throws {
        var filter = MessageFilter()
        filter.replyType = .all
        let history = service.history(url, filter) ?? []
        var isMissing = false
        for message in history.filter({ isNoticed($0) }).reversed() {
            let id = message["message_id"]?.int ?? 0
            let text = String(id)
            if notices.taken.contains(text) {
                isMissing = notices.missing.contains(text)
                continue
            }
            guard message["created_at"]?.int ?? 0 >= since, !notices.moved.contains(id), !isMissing else { continue }
            if traits.notify == .mentions, message["updated_at"]?.int ?? 0 > 0 { continue }
            // More than a page came behind it, of which those before which it was said are not there any more.
            let behind = service.messages.values.count { $0.channelURL == url && $0.id > id }
            if behind >= Notices.pageSize { continue }
            throw Violation(description: "\(text) in \(url) was never told, of \(behind) behind it none says so")
        }
    }

    /// What the documentation says: of others, not silent, and one that can be the last message of the channel.
    private func isNoticed(_ message: JSON) -> Bool {
        guard message["user"]?["user_id"]?.string != SimulatedService.me, message["silent"]?.bool != true else {
            return false
        }
        if traits.notify == .mentions {
            let isNamed = message["mentioned_user_ids"]?.array?.contains { $0.string == SimulatedService.me } ?? false
            guard isNamed || message["mention_type"]?.string == "channel" else { return false }
        }
        guard message["parent_message_id"]?.int ?? 0 > 0 else { return true }
        switch traits.lastMessagePolicy {
        case 1: return true
        case 2: return false
        default: return message["is_reply_to_channel"]?.bool == true
        }
    }
}
