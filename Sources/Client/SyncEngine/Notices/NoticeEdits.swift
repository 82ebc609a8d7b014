import SyncModel
import SyncStore

/// What facts about messages do to the messages that wait to be acknowledged; called inside the caller's transaction.
struct NoticeEdits {
    let url: ChannelURL
    let context: Context
    let store: NoticeStore

    init(_ url: ChannelURL, _ context: Context, _ cache: CacheStore) {
        self.url = url
        self.context = context
        store = cache.notices
    }

    /// Changes the waiting messages that the fact is about. A message that arrives is not among them yet.
    func apply(_ fact: MessageFact) throws(StoreError) {
        switch fact.kind {
        case .arrived: break
        case .edited(let messages): try edit(messages)
        case .patched(let id, let patch): try apply(patch, to: id)
        case .patchLog(let patches): for (id, patch) in patches { try apply(patch, to: id) }
        case .deleted(let ids): try delete(ids)
        case .changelog(let updated, let deleted):
            try edit(updated)
            try delete(deleted)
        }
        try delete(fact.hidden)
    }

    private func delete(_ ids: [MessageID]) throws(StoreError) {
        for id in ids { if let notice = try store.notice(of: id, in: url) { try store.delete(notice) } }
    }

    private func edit(_ messages: [MessageRecord]) throws(StoreError) {
        for message in messages {
            guard let notice = try store.notice(of: message.id, in: url) else { continue }
            // An answer may be older than the content that was told.
            guard MessageRecord.updatedAt(of: notice.json) <= message.updatedAt else { continue }
            try update(notice, context.rules.edited(message.json, from: notice.json))
        }
    }

    private func apply(_ patch: MessagePatch, to id: MessageID) throws(StoreError) {
        guard let notice = try store.notice(of: id, in: url), let json = context.rules.apply(patch, to: notice.json)
        else { return }
        try update(notice, json)
    }

    private func update(_ notice: StoredNotice, _ json: [UInt8]) throws(StoreError) {
        guard json != notice.json else { return }
        var notice = notice
        notice.json = json
        notice.isMention = context.rules.mentions(context.options.userID, in: json)
        try store.update(notice)
    }

    /// Messages that a page leaves out are gone, and the page may have newer content of the others.
    func compare(with page: MessagePage) throws(StoreError) {
        let first = page.reachedFirst ? .first : page.messages.first?.position ?? .first
        let last = page.reachedNewest ? .last : page.messages.last?.position ?? .last
        let ids = Set(page.messages.map(\.id))
        for notice in try store.notices(of: url) where !ids.contains(notice.messageID) {
            if notice.position >= first, notice.position <= last { try store.delete(notice) }
        }
        try edit(page.messages)
    }
}
