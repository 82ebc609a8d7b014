import SyncJSON
import SyncModel
import SyncStore

/// The existing drafts, by channel and thread, and how hosts see them. Only `Drafts` changes them.
final class DraftTexts {
    struct Draft: Equatable {
        /// JSON text of an object.
        let content: [UInt8]
        /// Milliseconds since the epoch, by this machine.
        let updatedAt: Int64

        /// The draft as hosts see it.
        var json: [UInt8] {
            JSONSlice.setting([("updated_at", JSON.int(updatedAt).serialized())], in: content) ?? content
        }
    }

    private var drafts: [ChannelURL: [HistoryID: Draft]] = [:]
    private(set) var count = 0
    /// The size of all contents together.
    private(set) var bytes = 0

    subscript(place: HistoryID) -> Draft? {
        get { drafts[place.channelURL]?[place] }
        set {
            let before = drafts[place.channelURL]?[place]
            count += (newValue == nil ? 0 : 1) - (before == nil ? 0 : 1)
            bytes += (newValue?.content.count ?? 0) - (before?.content.count ?? 0)
            drafts[place.channelURL, default: [:]][place] = newValue
            if drafts[place.channelURL]?.isEmpty == true { drafts[place.channelURL] = nil }
        }
    }

    /// In a fixed order, so that a run repeats.
    var channelURLs: [ChannelURL] { drafts.keys.sorted() }

    func places(in url: ChannelURL) -> [HistoryID] { drafts[url].map { $0.keys.sorted() } ?? [] }

    func removeAll() { (drafts, count, bytes) = ([:], 0, 0) }

    /// The drafts that are obsolete when a message with a text is sent: those of its channel or of its thread, and the
    /// channel's own draft if that was to answer the same message.
    func places(sentBy body: [UInt8], in url: ChannelURL) -> [HistoryID] {
        guard let held = drafts[url], let document = try? DocumentValue(parsing: body),
            document.member("message")?.json.string?.isEmpty == false
        else { return [] }
        let parentID = (try? document.member("parent_message_id")?.messageID()) ?? ""
        return Set([HistoryID(url), HistoryID(url, parentID: parentID)]).sorted().filter { place in
            guard let draft = held[place] else { return false }
            if place.parentID == parentID { return true }
            guard let document = try? DocumentValue(parsing: draft.content) else { return false }
            return (try? document.member("reply_to")?.messageID()) == parentID
        }
    }

    /// A channel as hosts see it.
    func shown(_ channel: ChannelRecord) -> ChannelRecord {
        guard let held = drafts[channel.url] else { return channel }
        var members: [(key: String, value: [UInt8])] = []
        if let draft = held[HistoryID(channel.url)] { members.append(("draft", draft.json)) }
        let threads = held.keys.filter(\.isThread).sorted()
        if !threads.isEmpty {
            var writer = JSONWriter()
            writer.beginArray()
            for place in threads { if let draft = held[place] { writer.raw(draft.json) } }
            writer.endArray()
            members.append(("thread_drafts", writer.bytes))
        }
        guard let json = JSONSlice.setting(members, in: channel.json) else { return channel }
        var shown = channel
        shown.json = json
        return shown
    }

    /// Every draft as hosts see it, with its place.
    var all: [(place: HistoryID, json: [UInt8])] {
        drafts.values.joined().sorted { $0.key < $1.key }.map { ($0.key, $0.value.json) }
    }
}
