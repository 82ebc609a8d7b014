import SyncJSON

extension ChannelQuery {
    /// Whether the cache can tell which channels belong: who is a friend only the service knows.
    public var isDecidableFromCache: Bool { memberState != .invitedByFriend && memberState != .invitedByNonFriend }

    /// Whether a channel belongs, as seen by a user.
    public func matches(_ channel: ChannelRecord, userID: String) -> Bool {
        if !includeEmpty, channel.lastMessage == nil { return false }
        if !includeFrozen, channel.isFrozen { return false }
        if !channelURLs.isEmpty, !channelURLs.contains(channel.url) { return false }
        if !customTypes.isEmpty, !customTypes.contains(channel.customType) { return false }
        if !channel.customType.hasPrefix(customTypeStartsWith), !customTypeStartsWith.isEmpty { return false }
        if !nameContains.isEmpty, !ChannelQuery.contains(channel.name, nameContains) { return false }
        if unreadChannels == .unreadMessage, channel.unreadMessageCount == 0 { return false }
        if createdBefore > 0, channel.createdAt >= createdBefore { return false }
        if createdAfter > 0, channel.createdAt <= createdAfter { return false }
        if hiddenChannels == .unhiddenOnly, channel.isHidden { return false }
        if hiddenChannels == .hiddenOnly, !channel.isHidden { return false }
        guard looksDeeper else { return true }
        guard let document = channel.document else { return false }
        return matchesKind(document) && matchesState(channel, document) && matchesMembers(channel, document, userID)
            && matchesMetadata(document)
    }

    /// Whether fields beyond those of `ChannelRecord` decide.
    private var looksDeeper: Bool {
        !includeChatNotification || superChannels != .all || publicChannels != .all || memberState != .all
            || (hiddenChannels != .unhiddenOnly && hiddenChannels != .all && hiddenChannels != .hiddenOnly)
            || !userIDsExact.isEmpty || !userIDsInclude.isEmpty || !nicknameContains.isEmpty
            || !nicknameStartsWith.isEmpty || !nicknameExact.isEmpty || !searchQuery.isEmpty || !metadataKey.isEmpty
    }

    private func matchesKind(_ document: JSON) -> Bool {
        func flag(_ key: String) -> Bool { document[key]?.bool ?? false }
        if !includeChatNotification, flag("is_chat_notification") { return false }
        switch superChannels {
        case .all: break
        case .onlySuper: if !flag("is_super") { return false }
        case .nonsuper: if flag("is_super") { return false }
        case .broadcastOnly: if !flag("is_broadcast") { return false }
        case .exclusiveOnly: if !flag("is_exclusive") { return false }
        }
        switch publicChannels {
        case .all: return true
        case .onlyPublic: return flag("is_public")
        case .onlyPrivate: return !flag("is_public")
        }
    }

    private func matchesState(_ channel: ChannelRecord, _ document: JSON) -> Bool {
        let hidden = document["hidden_state"]?.string ?? ""
        if hiddenChannels == .hiddenAllowAutoUnhide, !channel.isHidden || !hidden.hasSuffix("allow_auto_unhide") { return false }
        if hiddenChannels == .hiddenPreventAutoUnhide, !channel.isHidden || !hidden.hasSuffix("prevent_auto_unhide") {
            return false
        }
        let state = document["member_state"]?.string ?? "none"
        switch memberState {
        case .all: return true
        case .joined: return state == "joined"
        case .invited, .invitedByFriend, .invitedByNonFriend: return state == "invited"
        }
    }

    private func matchesMembers(_ channel: ChannelRecord, _ document: JSON, _ userID: String) -> Bool {
        let asksForMembers = !userIDsExact.isEmpty || !userIDsInclude.isEmpty || !nicknameContains.isEmpty
            || !nicknameStartsWith.isEmpty || !nicknameExact.isEmpty || !searchQuery.isEmpty
        guard asksForMembers else { return true }
        let members = (document["members"]?.array ?? []).map {
            (id: $0["user_id"]?.string ?? "", nickname: $0["nickname"]?.string ?? "")
        }
        let ids = Set(members.map(\.id))
        if !userIDsExact.isEmpty, ids != Set(userIDsExact) { return false }
        if !userIDsInclude.isEmpty {
            let wanted = Set(userIDsInclude)
            if userIDsCombination == .and ? !wanted.isSubset(of: ids) : wanted.isDisjoint(with: ids) { return false }
        }
        // Nicknames are those of the others: nobody searches for a chat by the own name.
        let nicknames = members.filter { $0.id != userID }.map(\.nickname)
        if !nicknameContains.isEmpty, !nicknames.contains(where: { ChannelQuery.contains($0, nicknameContains) }) { return false }
        if !nicknameStartsWith.isEmpty,
            !nicknames.contains(where: { $0.lowercased().hasPrefix(nicknameStartsWith.lowercased()) })
        {
            return false
        }
        if !nicknameExact.isEmpty, !nicknames.contains(where: { $0.lowercased() == nicknameExact.lowercased() }) { return false }
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
        if !metadataValues.isEmpty, !metadataValues.contains(value) { return false }
        return metadataValueStartsWith.isEmpty || value.hasPrefix(metadataValueStartsWith)
    }

    /// Case does not matter, as on the service.
    private static func contains(_ text: String, _ part: String) -> Bool {
        let text = Array(text.lowercased().utf8)
        let part = Array(part.lowercased().utf8)
        guard part.count <= text.count else { return false }
        return (0...(text.count - part.count)).contains { text[$0..<($0 + part.count)].elementsEqual(part) }
    }
}
