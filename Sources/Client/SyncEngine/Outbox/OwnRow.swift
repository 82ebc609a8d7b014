import SyncModel
import SyncStore

/// An own message in the list of pending or failed ones, in the order in which they were written.
struct OwnRow: WindowRow {
    let id: RequestID
    let place: Int64
    let json: [UInt8]

    init(_ intent: Intent, _ context: Context) {
        id = intent.requestID
        place = intent.id
        json = context.rules.json(of: OwnMessageContent(intent), userID: context.options.userID)
    }
}

extension OwnMessageContent {
    init(_ intent: Intent, isCanceled: Bool = false) {
        let hasFailed = intent.status == .failed && !isCanceled
        let failure = hasFailed ? (code: intent.errorCode, retryCount: intent.retryCount) : nil
        self.init(
            channelURL: intent.channelURL, requestID: intent.requestID, createdAt: intent.createdAt, body: intent.body,
            failure: failure, isCanceled: isCanceled, acceptedID: intent.messageID)
    }
}
