import ServerBase
import SyncJSON

/// The settings of the application.
public struct ApplicationRules: ChatRules {
    let chat: Chat

    public static let settingsName = "application"

    /// Reads the application's settings as an earlier run left them.
    public func loadSettings() throws {
        if let json = try storage.documents.document(.setting, Self.settingsName) {
            chat.settings = ApplicationSettings(json)
        }
    }

    /// Changes the application's settings. They hold for what is sent from now on; purged messages go at once.
    public func changeSettings(_ fields: Fields) throws {
        var changed = settings
        let now = now
        try changed.change(fields, at: now)
        let next = changed
        try storage.transaction {
            try storage.documents.save(.setting, Self.settingsName, at: now, next.json)
            for channel in try storage.channels.all(publicOnly: false) {
                let offset = next.purgeOffset(customType: channel.customType)
                let before = settings.purgeOffset(customType: channel.customType)
                if offset > before { try purge(channel, to: offset, at: now, next.lastMessageThreading) }
            }
        }
        chat.settings = next
    }

    /// Takes away all messages up to a time. As with a service's retention, nobody is told and no changelog names
    /// them: clients learn the time from the settings or from the channel.
    private func purge(_ channel: ChannelRow, to offset: Int64, at now: Int64, _ policy: ThreadingPolicy) throws {
        let purged = try storage.messages.list(channel.id, from: 0, to: offset)
        try storage.markMessageID()
        for message in purged {
            try storage.messages.delete(message)
            try storage.messages.uncount(message)
            try storage.members.recallSilent(after: message, policy)
        }
        let ids = Set(purged.map(\.id))
        if ids.contains(channel.lastMessageID) { try storage.messages.recallLastMessage(channel.id, policy) }
        let pinned = channel.pinnedIDs
        if !ids.isDisjoint(with: pinned) {
            var changed = channel
            changed.pinned = JSON.array(pinned.filter { !ids.contains($0) }.map { .int($0) }).serialized()
            try storage.channels.update(changed)
        }
        try storage.channels.touch(channel.id, at: now)
    }

    /// The changes of the settings that a client does not know yet, which knows those up to a time or token.
    public func settingsChanges(since time: Int64, token: String, limit: Int) throws -> JSON {
        var known = time
        if !token.isEmpty {
            guard token.hasPrefix("s"), let time = Int64(token.dropFirst()) else { throw Refusal.expiredToken() }
            known = time
        }
        let fresh = settings.purges.filter { $0.saidAt > known }
        let page = fresh.prefix(limit)
        let offsets = JSON.object()
        // A client that knows nothing yet is told that nothing is purged.
        if known == 0, !settings.purges.contains(where: { $0.scope == "global" }) { offsets.set("global", 0) }
        for purge in page { offsets.set(purge.scope, .int(purge.offset)) }
        let reached = page.last?.saidAt ?? max(known, settings.changedAt)
        return .object([
            "configs": .object(["message_purge_offset": offsets]),
            "has_more": .bool(fresh.count > page.count), "next": .string("s\(reached)"), "ts": .int(reached),
        ])
    }

    /// Sets the preference that holds for users who never chose one.
    public func setUsualInvitation(_ json: JSON) throws {
        try storage.documents.save(.setting, "default_channel_invitation_preference", at: now, json)
    }

    /// Whether users who never chose join at once when they are invited.
    public func invitesAtOnce() throws -> Bool {
        try storage.documents.document(.setting, "default_channel_invitation_preference")?["auto_accept"]?.bool ?? true
    }
}

extension Chat {
    public var application: ApplicationRules { ApplicationRules(chat: self) }
}
