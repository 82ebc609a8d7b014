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
        if !ChannelQuery.starts(channel.customType, customTypeStartsWith) { return false }
        if !nameContains.isEmpty, !ChannelQuery.contains(channel.name, nameContains) { return false }
        if unreadChannels == .unreadMessage, channel.unreadMessageCount == 0 { return false }
        if createdBefore > 0, channel.createdAt >= createdBefore { return false }
        if createdAfter > 0, channel.createdAt <= createdAfter { return false }
        if hiddenChannels == .unhiddenOnly, channel.isHidden { return false }
        if hiddenChannels == .hiddenOnly, !channel.isHidden { return false }
        guard looksDeeper || channel.mayBePublic else { return true }
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
        // A public channel can be read, and so get into the cache, without being a member of it.
        if flag("is_public"), document["member_state"]?.string == "none" { return false }
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
        let state = document["hidden_state"]?.string ?? ""
        switch hiddenChannels {
        case .hiddenAllowAutoUnhide: if !channel.isHidden || !state.hasSuffix("allow_auto_unhide") { return false }
        case .hiddenPreventAutoUnhide: if !channel.isHidden || !state.hasSuffix("prevent_auto_unhide") { return false }
        case .unhiddenOnly, .all, .hiddenOnly: break
        }
        let membership = document["member_state"]?.string ?? "none"
        switch memberState {
        case .all: return true
        case .joined: return membership == "joined"
        case .invited, .invitedByFriend, .invitedByNonFriend: return membership == "invited"
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
        // The viewer is a member of every channel listed, named or not; the service counts so too.
        if !userIDsExact.isEmpty, ids != Set(userIDsExact).union([userID]) { return false }
        if !userIDsInclude.isEmpty {
            let wanted = Set(userIDsInclude)
            if userIDsCombination == .and ? !wanted.isSubset(of: ids) : wanted.isDisjoint(with: ids) { return false }
        }
        // Nicknames are those of the others: nobody searches for a chat by the own name.
        let nicknames = members.filter { $0.id != userID }.map(\.nickname)
        if !nicknameContains.isEmpty, !nicknames.contains(where: { ChannelQuery.contains($0, nicknameContains) }) {
            return false
        }
        if !nicknameStartsWith.isEmpty,
            !nicknames.contains(where: { ChannelQuery.starts($0.lowercased(), nicknameStartsWith.lowercased()) })
        {
            return false
        }
        if !nicknameExact.isEmpty, !nicknames.contains(where: { $0.lowercased() == nicknameExact.lowercased() }) {
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
        if !metadataValues.isEmpty, !metadataValues.contains(value) { return false }
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

extension ChannelRecord {
    /// Whether the JSON may say that the channel is public: a look at the text, far cheaper than reading the document,
    /// which rules out nearly every channel of a list. A `true` of another object in it is possible, and harmless.
    fileprivate var mayBePublic: Bool {
        json.withUnsafeBytes { bytes in
            let key: StaticString = "is_public\""
            let length = key.utf8CodeUnitCount
            let letter = key.utf8Start
            var index = 0
            while index + length < bytes.count {
                defer { index += 1 }
                // "p" is rarer in JSON than "i"; most places are dismissed here.
                guard bytes[index + 3] == letter[3] else { continue }
                guard (0..<length).allSatisfy({ bytes[index + $0] == letter[$0] }) else { continue }
                var rest = index + length
                while rest < bytes.count, bytes[rest] <= 0x20 || bytes[rest] == UInt8(ascii: ":") { rest += 1 }
                if rest < bytes.count, bytes[rest] == UInt8(ascii: "t") { return true }
            }
            return false
        }
    }
}
