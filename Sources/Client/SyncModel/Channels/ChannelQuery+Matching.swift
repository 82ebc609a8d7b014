import SyncBytes
import SyncJSON

extension ChannelQuery {
    /// Whether a channel belongs to the query, as far as its record tells.
    public enum Membership: Sendable {
        case belongs, isOut
        /// The channel may belong: the filter asks for members whom the record does not name.
        case isUnknown
    }

    /// Whether the query depends on members, of whom the cache may know only some.
    public var mayNeedService: Bool { looksAtMembers && superChannels != .nonsuper }

    /// A channel's JSON as a collection tells it; what is cached is complete.
    public func shown(_ json: [UInt8]) -> [UInt8] {
        if includeMemberList, includeMetadata { return json }
        var leftOut: Set<String> = []
        if !includeMemberList { leftOut.insert("members") }
        if !includeMetadata { leftOut.insert("metadata") }
        return JSONSlice.removing(leftOut, from: json) ?? json
    }

    /// Whether the cache can tell which channels belong: only the service knows who is a friend.
    public var isDecidableFromCache: Bool { memberState != .invitedByFriend && memberState != .invitedByNonFriend }

    /// Whether a channel certainly belongs, as seen by a user.
    public func matches(_ channel: ChannelRecord, userID: UserID) -> Bool {
        membership(of: channel, userID: userID) == .belongs
    }

    /// Whether a channel belongs, as seen by a user, as far as its record tells.
    public func membership(of channel: ChannelRecord, userID: UserID) -> Membership {
        guard matchesFields(channel) else { return .isOut }
        guard looksDeeper else { return .belongs }
        guard let document = channel.document, matchesMetadata(document) else { return .isOut }
        return membersMembership(of: channel, document, userID)
    }

    private func matchesFields(_ channel: ChannelRecord) -> Bool {
        if !includeEmpty, channel.lastMessage == nil { return false }
        if !includeFrozen, channel.isFrozen { return false }
        if !channelURLs.isEmpty, !channelURLs.contains(channel.url) { return false }
        if !customTypes.isEmpty, !customTypes.containsBytes(of: channel.customType) { return false }
        if !ChannelQuery.starts(channel.customType, customTypeStartsWith) { return false }
        if !nameContains.isEmpty, !ChannelQuery.contains(channel.name, nameContains) { return false }
        if unreadChannels == .unreadMessage, channel.unreadMessageCount == 0 { return false }
        if createdBefore > 0, channel.createdAt >= createdBefore { return false }
        if createdAfter > 0, channel.createdAt <= createdAfter { return false }
        if hiddenChannels == .unhiddenOnly, channel.isHidden { return false }
        if hiddenChannels == .hiddenOnly, !channel.isHidden { return false }
        return matchesKind(channel.traits) && matchesState(channel)
    }

    /// Whether fields beyond those of `ChannelRecord` decide: they cost a reading of the whole document.
    private var looksDeeper: Bool { looksAtMembers || !metadataKey.isEmpty }

    private var looksAtMembers: Bool {
        !userIDsExact.isEmpty || !userIDsInclude.isEmpty || !nicknameContains.isEmpty || !nicknameStartsWith.isEmpty
            || !nicknameExact.isEmpty || !searchQuery.isEmpty
    }

    private func matchesKind(_ traits: ChannelTraits) -> Bool {
        if !includeChatNotification, traits.isChatNotification { return false }
        // A public channel can be read, and so get into the cache, without being a member of it.
        if traits.isPublic, traits.memberState == "none" { return false }
        switch superChannels {
        case .all: break
        case .onlySuper: if !traits.isSuper { return false }
        case .nonsuper: if traits.isSuper { return false }
        case .broadcastOnly: if !traits.isBroadcast { return false }
        case .exclusiveOnly: if !traits.isExclusive { return false }
        }
        switch publicChannels {
        case .all: return true
        case .onlyPublic: return traits.isPublic
        case .onlyPrivate: return !traits.isPublic
        }
    }

    private func matchesState(_ channel: ChannelRecord) -> Bool {
        let state = channel.traits.hiddenState
        switch hiddenChannels {
        case .hiddenAllowAutoUnhide: if !channel.isHidden || !state.hasSuffix("allow_auto_unhide") { return false }
        case .hiddenPreventAutoUnhide: if !channel.isHidden || !state.hasSuffix("prevent_auto_unhide") { return false }
        case .unhiddenOnly, .all, .hiddenOnly: break
        }
        switch memberState {
        case .all: return true
        case .joined: return channel.traits.memberState == "joined"
        case .invited, .invitedByFriend, .invitedByNonFriend: return channel.traits.memberState == "invited"
        }
    }

    /// Whether a channel belongs, by its members. The service names only some members of a super channel, so a user who
    /// is not among them may still be a member.
    private func membersMembership(of channel: ChannelRecord, _ document: JSON, _ userID: UserID) -> Membership {
        guard looksAtMembers else { return .belongs }
        let members = (document["members"]?.array ?? []).map {
            (id: UserID($0["user_id"]?.string ?? ""), nickname: $0["nickname"]?.string ?? "")
        }
        let memberCount = document["member_count"]?.int ?? Int64(members.count)
        let isPartial = channel.traits.isSuper && memberCount > Int64(members.count)
        let ids = Set(members.map(\.id))
        // The viewer is a member of every channel listed, named or not; the service counts so too.
        if !userIDsExact.isEmpty {
            let wanted = Set(userIDsExact).union([userID])
            if !isPartial { return ids == wanted && matchesNicknames(channel, members, userID) ? .belongs : .isOut }
            return Int64(wanted.count) == memberCount && ids.isSubset(of: wanted) ? .isUnknown : .isOut
        }
        let isFound = includesUsers(ids) && matchesNicknames(channel, members, userID)
        return isFound ? .belongs : isPartial ? .isUnknown : .isOut
    }

    private func includesUsers(_ ids: Set<UserID>) -> Bool {
        guard !userIDsInclude.isEmpty else { return true }
        let wanted = Set(userIDsInclude)
        return userIDsCombination == .and ? wanted.isSubset(of: ids) : !wanted.isDisjoint(with: ids)
    }

    private func matchesNicknames(
        _ channel: ChannelRecord, _ members: [(id: UserID, nickname: String)], _ userID: UserID
    ) -> Bool {
        // Only the nicknames of other members count, since users do not search for a chat by their own name.
        let nicknames = members.filter { $0.id != userID }.map(\.nickname)
        if !nicknameContains.isEmpty, !nicknames.contains(where: { ChannelQuery.contains($0, nicknameContains) }) {
            return false
        }
        if !nicknameStartsWith.isEmpty,
            !nicknames.contains(where: { ChannelQuery.starts($0.lowercased(), nicknameStartsWith.lowercased()) })
        {
            return false
        }
        if !nicknameExact.isEmpty, !nicknames.map({ $0.lowercased() }).containsBytes(of: nicknameExact.lowercased()) {
            return false
        }
        guard !searchQuery.isEmpty else { return true }
        let fields = searchFields.isEmpty ? SearchField.allCases : searchFields
        return fields.contains { field in
            switch field {
            case .channelName: ChannelQuery.contains(channel.name, searchQuery)
            case .memberNickname: nicknames.contains { ChannelQuery.contains($0, searchQuery) }
            }
        }
    }

    private func matchesMetadata(_ document: JSON) -> Bool {
        guard !metadataKey.isEmpty else { return true }
        guard let value = document["metadata"]?[metadataKey]?.string else { return false }
        if !metadataValues.isEmpty, !metadataValues.containsBytes(of: value) { return false }
        return ChannelQuery.starts(value, metadataValueStartsWith)
    }

    /// By code units, as a service compares: `hasPrefix` would compare by grapheme clusters.
    private static func starts(_ text: String, _ beginning: String) -> Bool {
        var rest = text.utf8.makeIterator()
        return beginning.utf8.allSatisfy { rest.next() == $0 }
    }

    /// Case does not matter, as on the service.
    private static func contains(_ text: String, _ part: String) -> Bool {
        let text = Array(text.lowercased().utf8)
        let part = Array(part.lowercased().utf8)
        guard part.count <= text.count else { return false }
        return (0...(text.count - part.count)).contains { text[$0..<($0 + part.count)].elementsEqual(part) }
    }
}
