import SyncBytes
import SyncJSON
import SyncModel

// The poll in a message. Its counts are the same for all; what this user chose (`voted_option_ids`) is told to this
// user alone.
extension SendbirdRules {
    static func apply(_ change: PollChange, to json: [UInt8]) -> [UInt8]? {
        guard let document = try? JSON.parse(json), let poll = document["poll"], poll.kind == .object,
            id(poll["id"])?.isByteEqual(to: change.pollID) == true
        else { return nil }
        switch change.kind {
        case .edited(let text):
            guard let new = try? JSON.parse(text), new.kind == .object else { return nil }
            for (key, value) in new.members ?? [] { poll.set(key, value) }
            keepChosen(in: poll)
        case .voted(let text):
            guard let event = try? JSON.parse(text) else { return nil }
            vote(event, in: poll)
        case .removed: poll.set("status", "removed")
        }
        return JSONSlice.setting([("poll", poll.serialized())], in: json)
    }

    /// A poll's or an option's id as text.
    static func id(_ value: JSON?) -> String? { value?.int.map { String($0) } ?? value?.string }

    /// Removes this user's votes for options that were removed.
    private static func keepChosen(in poll: JSON) {
        guard let chosen = poll["voted_option_ids"]?.array, let options = poll["options"]?.array else { return }
        let ids = Set(options.compactMap { id($0["id"]).map { TextKey($0) } })
        poll.set("voted_option_ids", .array(chosen.filter { id($0).map { ids.contains(TextKey($0)) } ?? false }))
    }

    private static func vote(_ event: JSON, in poll: JSON) {
        var counts: [TextKey: Int64] = [:]
        for entry in event["updated_vote_counts"]?.array ?? [] {
            if let option = id(entry["option_id"]), let count = entry["vote_count"]?.int {
                counts[TextKey(option)] = max(0, count)
            }
        }
        var sum: Int64 = 0
        for option in poll["options"]?.array ?? [] {
            if let count = id(option["id"]).flatMap({ counts[TextKey($0)] }) { option.set("vote_count", .int(count)) }
            sum = sum.addingClamped(option["vote_count"]?.int ?? 0)
        }
        if let voters = event["voter_count"]?.int {
            poll.set("voter_count", .int(max(0, voters)))
        } else if poll["allow_multiple_votes"]?.bool == false {
            // Each voter has one vote, so there are as many voters as votes.
            poll.set("voter_count", .int(sum))
        }
        if let chosen = event["voted_option_ids"], chosen.kind == .array { poll.set("voted_option_ids", chosen) }
    }

    /// A message with a poll in which this user has chosen these options, and no others.
    static func vote(for options: [String], on json: [UInt8]) -> [UInt8]? {
        guard let document = try? JSON.parse(json), let poll = document["poll"], poll.kind == .object else {
            return nil
        }
        let before = Set((poll["voted_option_ids"]?.array ?? []).compactMap { id($0).map { TextKey($0) } })
        let chosen = JSON.array()
        var after: Set<TextKey> = []
        for option in poll["options"]?.array ?? [] {
            guard let key = id(option["id"]).map({ TextKey($0) }) else { continue }
            let isChosen = options.contains { TextKey($0) == key }
            if isChosen {
                after.insert(key)
                chosen.append(option["id"] ?? .null)
            }
            guard isChosen != before.contains(key) else { continue }
            let count = (option["vote_count"]?.int ?? 0).addingClamped(isChosen ? 1 : -1)
            option.set("vote_count", .int(max(0, count)))
        }
        if before.isEmpty != after.isEmpty {
            let count = (poll["voter_count"]?.int ?? 0).addingClamped(after.isEmpty ? -1 : 1)
            poll.set("voter_count", .int(max(0, count)))
        }
        poll.set("voted_option_ids", chosen)
        return JSONSlice.setting([("poll", poll.serialized())], in: json)
    }

    public func pollID(in json: [UInt8]) -> String? {
        json.withUnsafeBytes { bytes -> String? in
            guard JSONSlice.has("\"poll\"", in: bytes), let poll = JSONSlice.valid(bytes)["poll"], poll.isObject else {
                return nil
            }
            return poll["id"].flatMap { id in id.int.map { String($0) } ?? id.string }
        }
    }

    /// All users are told the same edit, in which the poll does not have this user's choice. So the known choice is
    /// kept.
    public func edited(_ json: [UInt8], from held: [UInt8]) -> [UInt8] {
        guard pollID(in: json) != nil, let chosen = SendbirdRules.chosen(held), SendbirdRules.chosen(json) == nil,
            let poll = (try? JSON.parse(json))?["poll"], let before = try? JSON.parse(chosen)
        else { return json }
        poll.set("voted_option_ids", before)
        SendbirdRules.keepChosen(in: poll)
        return JSONSlice.setting([("poll", poll.serialized())], in: json) ?? json
    }

    /// JSON text of what this user chose in a message's poll; `nil` when the message does not say it.
    private static func chosen(_ json: [UInt8]) -> [UInt8]? {
        json.withUnsafeBytes { bytes in JSONSlice.valid(bytes)["poll"]?["voted_option_ids"]?.copy() }
    }
}
