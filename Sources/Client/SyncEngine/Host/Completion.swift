import SyncModel

/// How a call ended.
public struct Completion: Sendable {
    /// The C function's name without its prefix.
    public enum Name: String, Sendable {
        case connect, fetch, start
        case fetchAllNext = "fetch_all_next", fetchFailed = "fetch_failed", fetchPending = "fetch_pending"
        case openCached = "message_collection_open"
        case clearCache = "clear_cache", signOut = "sign_out"
        case sendMessage = "send_message", appendMessage = "append_message"
        case handleSendResponse = "handle_send_response"
        case updateMessage = "update_message", deleteMessage = "delete_message"
        case call, streamCall = "stream_call"
    }

    /// The explanation in results of calls that a sign-out canceled.
    static let signedOut = "the user has signed out"

    /// Why a fetch ended with less than it wanted although there may be more.
    public enum ShortReason: String, Sendable { case offline, paused, error, reset, indexing }

    public var call: CallID
    public var name: Name
    public var status: Status
    /// For a fetch: whether there is more in its direction, and why it has less than it wanted.
    public var hasMore: Bool?
    public var short: ShortReason?
    /// For a fetch of own messages: how many were inserted.
    public var count: Int?
    public var requestID: RequestID?
    /// The service's message object, as JSON text.
    public var message: [UInt8]?
    public var failure: ServiceFailure?
    /// For `sm_call`: the action, and the service's answer as JSON text.
    public var action: Action?
    public var result: [UInt8]?
    /// What was wrong, in one line, if no `failure` says it.
    public var explanation: String?
    /// The collection's state after the call, for calls that change it.
    public var info: CollectionInfo?

    public init(
        call: CallID, name: Name, status: Status, hasMore: Bool? = nil, short: ShortReason? = nil,
        count: Int? = nil, requestID: RequestID? = nil, message: [UInt8]? = nil, failure: ServiceFailure? = nil,
        action: Action? = nil, result: [UInt8]? = nil, explanation: String? = nil, info: CollectionInfo? = nil
    ) {
        self.call = call
        self.name = name
        self.status = status
        self.hasMore = hasMore
        self.short = short
        self.count = count
        self.requestID = requestID
        self.message = message
        self.failure = failure
        self.action = action
        self.result = result
        self.explanation = explanation
        self.info = info
    }

    /// The end of a sign-out, with the failures on the way. Both files are on one disk and often fail for the same
    /// reason, which is told once.
    init(signOut call: CallID, failures: [String]) {
        var reasons: [String] = []
        for failure in failures where !reasons.contains(failure) { reasons.append(failure) }
        self.init(
            call: call, name: .signOut, status: reasons.isEmpty ? .ok : .storage,
            explanation: reasons.isEmpty ? nil : reasons.joined(separator: "; "))
    }
}
