import SyncJSON
import SyncModel

extension SendbirdService {
    /// Reads the answer to a request. Never traps, whatever the bytes.
    public mutating func decode(
        _ request: ServiceRequest, status: Int, headers: [Header], body: [UInt8]
    ) -> ServiceReply {
        let body = LoneSurrogates.replaced(in: body)
        guard (200..<300).contains(status) else { return .failure(failure(request, status, headers, body)) }
        let session = sessionKey
        var renewed = session
        let reply: ServiceReply? = body.withUnsafeBytes { raw in
            if body.isEmpty {
                if case .deleteMessage = request { return .done }
                if case .markAsRead = request { return .done }
                return nil
            }
            guard let root = try? JSONSlice.checked(raw), root.isObject else { return nil }
            if root["error"]?.bool == true { return .failure(failure(request, 400, headers, body)) }
            switch request {
            case .listChannels:
                guard let list = root["channels"], list.isArray else { return nil }
                return .channels(ChannelPage(channels: channels(list), next: root["next"]?.string ?? ""))
            case .channelChanges:
                guard let updated = root["updated"], updated.isArray else { return nil }
                var urls: [String] = []
                root["deleted"]?.forEachElement {
                    if let url = $0.string ?? $0["channel_url"]?.string { urls.append(url) }
                }
                return .channelChanges(ChannelChanges(
                    updated: channels(updated), deletedURLs: urls, hasMore: root["has_more"]?.bool ?? false,
                    next: root["next"]?.string ?? ""))
            case .getChannel: return ChannelRecord(slice: root).map { .channel($0) }
            case .listMessages:
                guard let list = root["messages"], list.isArray else { return nil }
                return .messages(MessagePage(messages: messages(list)))
            case .messageChanges:
                guard let updated = root["updated"], updated.isArray else { return nil }
                var ids: [Int64] = []
                root["deleted"]?.forEachElement {
                    if let id = $0.int ?? $0["message_id"]?.int ?? $0["msg_id"]?.int { ids.append(id) }
                }
                return .messageChanges(MessageChanges(
                    updated: messages(updated), deletedIDs: ids, hasMore: root["has_more"]?.bool ?? false,
                    next: root["next"]?.string ?? ""))
            case .messageGap:
                guard let isHuge = root["is_huge_gap"]?.bool else { return nil }
                let more = root["next_hasmore"]?.bool ?? root["next_has_more"]?.bool ?? false
                return .gap(MessageGap(
                    isHuge: isHuge, messages: root["next_messages"].map { messages($0) } ?? [], hasMore: more))
            case .sendMessage, .updateMessage: return MessageCodec.record(root).map { .message($0) }
            case .deleteMessage, .markAsRead, .ping: return .done
            case .renewSession:
                guard let key = root["key"]?.string ?? root["new_key"]?.string else { return nil }
                renewed = key
                return .done
            }
        }
        if renewed != session { adopt(sessionKey: renewed) }
        return reply ?? .failure(ServiceFailure(
            kind: .unavailable, code: 800_130, message: "the answer is not what the protocol says"))
    }

    private func channels(_ list: JSONSlice) -> [ChannelRecord] {
        var result: [ChannelRecord] = []
        list.forEachElement { if let channel = ChannelRecord(slice: $0) { result.append(channel) } }
        return result
    }

    /// The messages of a page in ascending order, whichever way the page came.
    private func messages(_ list: JSONSlice) -> [MessageRecord] {
        var result: [MessageRecord] = []
        var isAscending = true
        list.forEachElement { element in
            guard let record = MessageCodec.record(element) else { return }
            if let last = result.last, record.position < last.position { isAscending = false }
            result.append(record)
        }
        if !isAscending { result.sort { $0.position < $1.position } }
        return result
    }

    private func failure(
        _ request: ServiceRequest, _ status: Int, _ headers: [Header], _ body: [UInt8]
    ) -> ServiceFailure {
        let document = try? JSON.parse(body)
        let code = Int(clamping: document?["code"]?.int ?? Int64(status))
        let message = document?["message"]?.string ?? "HTTP status \(status)"
        var kind = SendbirdService.kind(status, code, headers)
        // Told "forbidden" about a channel, this user is out of it; told so about an action, the action is refused.
        if kind == .refused, status == 403 {
            switch request {
            case .getChannel, .listMessages, .messageChanges, .messageGap: kind = .notFound
            default: break
            }
        }
        return ServiceFailure(kind: kind, code: code, message: message)
    }

    /// What a failure means to the engine. The service's code says more than the HTTP status, which is 400 for most.
    static func kind(_ status: Int, _ code: Int, _ headers: [Header] = []) -> ServiceFailure.Kind {
        switch code {
        case 400_309: return .sessionExpired
        // Also a user who is gone or deactivated: only the host can help.
        case 400_108, 400_300, 400_301, 400_302, 400_303, 400_310, 400_401: return .tokenRejected
        case 400_109: return .pageTokenExpired
        case 400_201, 900_020, 900_070, 900_100, 900_300, 900_500: return .notFound
        case 500_910, 900_200: return .rateLimited(retryAfter: pause(headers))
        case 500_901, 503: return .unavailable
        default: break
        }
        switch status {
        case 401: return .tokenRejected
        case 404: return .notFound
        case 429: return .rateLimited(retryAfter: pause(headers))
        case 408: return .unavailable
        case 400..<500: return .refused
        // Faults of the service, and statuses that answer no question it was asked.
        default: return .unavailable
        }
    }

    /// How long the service asks to wait, in milliseconds; a second when it does not say.
    private static func pause(_ headers: [Header]) -> Int64 {
        let names = ["retry-after", "x-ratelimit-retryafter", "x-ratelimit-retry-after"]
        for header in headers where names.contains(header.name.lowercased()) {
            if let seconds = Int64(header.value), seconds >= 0, seconds < 86_400 { return seconds * 1000 }
        }
        return 1000
    }
}

extension SendbirdService {
    /// Reads a message object that the host got from the service by its own means, in either dialect.
    public static func message(_ document: JSON) -> MessageRecord? {
        MessageCodec.record(socket: document, command: document["type"]?.string ?? "MESG")
    }
}
