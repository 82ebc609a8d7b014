import SyncBytes
import SyncJSON
import SyncModel

/// Decodes the service's answers to REST requests. Does not trap on any bytes.
enum ReplyDecoder {
    static func decode(
        _ request: ServiceRequest, _ response: TransportResponse, userID: UserID
    ) -> ServiceReply {
        if case .action(let call) = request, call.action == .file(.downloadFile) {
            return (200..<300).contains(response.status)
                ? answer(nil, to: call, userID) : .failure(fileFailure(response))
        }
        guard (200..<300).contains(response.status) else { return .failure(failure(request, response)) }
        if case .action(let call) = request {
            // What was asked for is not in it: a host would be told of a success without its result.
            if response.body.isEmpty {
                return call.isQuestion(of: userID) ? .failure(.malformed) : answer(nil, to: call, userID)
            }
            guard let body = document(response.body) else { return .failure(.malformed) }
            if body["error"]?.bool == true { return .failure(failure(request, response, status: 400)) }
            return answer(body, to: call, userID)
        }
        var (reply, hasLoneSurrogate) = read(request, response.body)
        if hasLoneSurrogate {
            var repaired = response
            repaired.body = LoneSurrogates.replaced(in: response.body)
            (reply, _) = read(request, repaired.body)
            if case .error = reply { return .failure(failure(request, repaired, status: 400)) }
        }
        switch reply {
        case .reply(let reply): return reply
        case .error: return .failure(failure(request, response, status: 400))
        case .malformed:
            return .failure(request.isRepeatedWhenUnanswered ? .noWordOfService : .malformed)
        }
    }

    /// The new key that a renewal brought.
    static func renewal(_ response: TransportResponse) -> Result<String, ServiceFailure> {
        guard (200..<300).contains(response.status) else {
            return .failure(failure(nil, response, status: response.status))
        }
        let root = document(response.body)
        if root?["error"]?.bool == true { return .failure(failure(nil, response, status: 400)) }
        guard let key = root?["key"]?.string ?? root?["new_key"]?.string, !key.isEmpty else {
            return .failure(.malformed)
        }
        return .success(key)
    }

    /// Decodes the answer to an action, which may also be an acknowledgement by socket.
    static func answer(_ body: JSON?, to call: ActionCall, _ userID: UserID) -> ServiceReply {
        .action(call.action.codec.decode(body, call, userID))
    }

    private enum Read {
        case reply(ServiceReply)
        /// The answer is an error, although its HTTP status says success.
        case error
        case malformed

        init(_ reply: ServiceReply?) { self = reply.map { .reply($0) } ?? .malformed }
    }

    private static func read(_ request: ServiceRequest, _ body: [UInt8]) -> (Read, hasLoneSurrogate: Bool) {
        body.withUnsafeBytes { bytes in
            switch request {
            case .listChannels, .channelChanges:
                lists(.channels, bytes) { .init(channels(request, $0)) }
            case .messagesAround, .messages, .ownMessages, .messageChanges, .messageGap:
                lists(.messages, bytes) { .init(messages(request, $0)) }
            case .getChannel, .getMessage, .sendMessage, .sendMessageByRequest, .retention, .unreadCounts, .pollChanges,
                .uploadFile:
                one(request, bytes)
            case .action, .markDelivered, .edge: (.malformed, false)
            }
        }
    }

    private static func lists(
        _ lists: AnswerReader.Lists, _ bytes: UnsafeRawBufferPointer, _ body: (AnswerReader) -> Read
    ) -> (Read, hasLoneSurrogate: Bool) {
        guard let answer = try? AnswerReader(bytes, lists) else { return (.malformed, false) }
        return (answer.isError ? .error : body(answer), answer.hasLoneSurrogate)
    }

    private static func channels(_ request: ServiceRequest, _ answer: AnswerReader) -> ServiceReply? {
        guard let channels = answer.channels else { return nil }
        if case .listChannels(_, let token, _) = request {
            // With this token the same page would be requested again, without end.
            if !token.isEmpty, answer.next.isByteEqual(to: token) { return .failure(.malformed) }
            return .channels(ChannelPage(channels: channels, next: answer.next))
        }
        return .channelChanges(ChannelChanges(
            updated: channels, deletedURLs: answer.deleted.map { ChannelURL($0) }, hasMore: answer.hasMore ?? false,
            next: answer.next))
    }

    /// How many messages of one time a page may have beside those that were asked for. A page with more counts as
    /// malformed.
    private static let mostOfOneTime = 2000

    private static func messages(_ request: ServiceRequest, _ answer: AnswerReader) -> ServiceReply? {
        switch request {
        case .messagesAround(_, _, let limit, _), .messages(_, _, _, let limit, _, _), .ownMessages(_, _, let limit):
            guard (answer.rows?.count ?? 0) <= 2 * limit + mostOfOneTime else { return nil }
        default: break
        }
        switch request {
        case .messagesAround(_, let time, let limit, _):
            return answer.rows.flatMap { HistoryPages.page($0, around: time, limit: limit) }.map { .messages($0) }
        case .messages(_, let edge, let direction, let limit, _, _):
            return answer.rows.flatMap { HistoryPages.page($0, from: edge, direction, limit: limit) }
                .map { .messages($0) }
        case .ownMessages(_, let edge, let limit):
            return answer.rows.flatMap { HistoryPages.page($0, from: edge, .previous, limit: limit) }
                .map { .messages($0) }
        case .messageGap(_, _, let end, _, _):
            guard let isHuge = answer.isHugeGap else { return nil }
            if isHuge { return .gap(.huge) }
            return .gap(.fill(HistoryPages.fill(answer.rows ?? .init(), from: end, hasMore: answer.hasMore)))
        default:
            guard let rows = answer.rows else { return nil }
            return .messageChanges(MessageChanges(
                updated: rows.messages, deletedIDs: answer.deleted.map { MessageID($0) },
                hasMore: answer.hasMore ?? false, next: answer.next))
        }
    }

    /// The answers that are one object.
    private static func one(
        _ request: ServiceRequest, _ bytes: UnsafeRawBufferPointer
    ) -> (Read, hasLoneSurrogate: Bool) {
        if bytes.isEmpty { return (.malformed, false) }
        var reader = JSONReader(bytes)
        guard let root = try? reader.value(), (try? reader.end()) != nil, root.isObject else {
            return (.malformed, false)
        }
        let hasLoneSurrogate = reader.hasLoneSurrogate
        if root["error"]?.bool == true { return (.error, hasLoneSurrogate) }
        if case .getChannel = request {
            return (.init(ChannelRecord(slice: root).map { .channel($0) }), hasLoneSurrogate)
        }
        if case .retention = request { return (.init(retention(root).map { .retention($0) }), hasLoneSurrogate) }
        if case .unreadCounts = request {
            return (.init(unreadCounts(root).map { .unreadCounts($0) }), hasLoneSurrogate)
        }
        if case .pollChanges = request {
            let changes = (try? JSON.parse(root.bytes)).flatMap(PollReader.changes)
            return (.init(changes.map { .pollChanges($0) }), hasLoneSurrogate)
        }
        if case .uploadFile = request { return (.init(uploaded(root).map { .uploaded($0) }), hasLoneSurrogate) }
        var message = JSONReader(root.bytes)
        return (.init((try? MessageCodec.read(from: &message)).flatMap { $0 }.map { .message($0) }), hasLoneSurrogate)
    }

    private static func retention(_ root: JSONSlice) -> RetentionPage? {
        guard let configs = root["configs"], configs.isObject else { return nil }
        var page = RetentionPage(
            time: root["ts"]?.int ?? 0, hasMore: root["has_more"]?.bool ?? false, next: root["next"]?.string ?? "")
        configs["message_purge_offset"]?.forEachMember { key, value in
            guard let end = value.int, let scope = key.string else { return }
            if scope == "global" { page.generalEnd = end } else { page.ends[TextKey(scope)] = end }
        }
        return page
    }

    private static func uploaded(_ root: JSONSlice) -> UploadedFile? {
        guard let url = root["url"]?.string, !url.isEmpty else { return nil }
        let thumbnails = root["thumbnails"].flatMap { $0.isArray ? $0.copy() : nil }
        return UploadedFile(
            url: url, thumbnails: thumbnails ?? Array("[]".utf8), requiresAuth: root["require_auth"]?.bool ?? false)
    }

    private static func unreadCounts(_ root: JSONSlice) -> UnreadCounts? {
        guard let all = root["unread_count"]?.int else { return nil }
        var types: [TextKey: Int64] = [:]
        root["custom_types"]?.forEachMember { key, value in
            if let type = key.string { types[TextKey(type)] = value.int }
        }
        return UnreadCounts(all: all, byCustomType: types, time: root["ts"]?.int ?? 0)
    }

    // MARK: Failures

    private static func document(_ body: [UInt8]) -> JSON? { try? JSON.parse(LoneSurrogates.replaced(in: body)) }

    /// A file may lie at another server, whose answers are not the service's: the status alone counts, and says nothing
    /// of the session.
    private static func fileFailure(_ response: TransportResponse) -> ServiceFailure {
        let kind: ServiceFailure.Kind =
            switch response.status {
            case 404, 410: .notFound
            case 408, 416, 429: .unavailable
            case 300..<500: .refused
            default: .unavailable
            }
        let document = document(response.body)
        return ServiceFailure(
            kind: kind, code: Int(clamping: document?["code"]?.int ?? Int64(response.status)),
            message: document?["message"]?.string ?? "HTTP status \(response.status)")
    }

    private static func failure(
        _ request: ServiceRequest?, _ response: TransportResponse, status: Int? = nil
    ) -> ServiceFailure {
        let status = status ?? response.status
        let document = document(response.body)
        var code = Int(clamping: document?["code"]?.int ?? Int64(status))
        let message = document?["message"]?.string ?? "HTTP status \(status)"
        if case .uploadFile = request, status == 413 {
            return ServiceFailure(kind: .refused, code: FailureCodes.fileTooLarge, message: message)
        }
        var kind = FailureCodes.kind(status, code, response.headers)
        if document?["code"]?.int == nil, status == 400 || status == 403 || status == 404 {
            // The answer is incomplete, or comes from something before the service.
            kind = .unavailable
        }
        if request?.isRepeatedWhenUnanswered == true, document?["code"]?.int == nil {
            // Something before the service has answered; a moment later the service itself may answer.
            switch kind {
            case .rateLimited: code = FailureCodes.rateLimited
            case .unavailable: code = FailureCodes.unavailable
            default: break
            }
        }
        // "Forbidden" for reading a channel means that this user is not in it; for an action, that it is refused.
        if kind == .refused, status == 403 {
            switch request {
            case .getChannel, .getMessage, .messagesAround, .messages, .ownMessages, .messageChanges, .messageGap,
                .pollChanges:
                kind = .notFound
            default: break
            }
        }
        return ServiceFailure(kind: kind, code: code, message: message)
    }
}

extension ServiceRequest {
    /// Whether the request is repeated when something before the service has answered it, until the service itself
    /// answers.
    fileprivate var isRepeatedWhenUnanswered: Bool {
        switch self {
        case .uploadFile, .sendMessageByRequest: true
        default: false
        }
    }
}
