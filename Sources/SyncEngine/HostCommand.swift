import SyncModel

/// What a host asks of the engine. The border has checked every argument; ids are the border's.
public enum HostCommand: Sendable {
    public enum Direction: Sendable, Hashable { case previous, next }

    case connect(call: UInt64)
    case disconnect
    case resumeSync
    case pauseSync
    case setToken(String)
    case clearCache(channelURL: String?, call: UInt64)
    case openChannelCollection(id: UInt64, query: ChannelQuery)
    case openMessageCollection(id: UInt64, channelURL: String, filter: MessageFilter, viewpoint: Int64)
    case removeCollection(id: UInt64)
    case fetch(collection: UInt64, direction: Direction, call: UInt64)
    case resetViewpoint(collection: UInt64, viewpoint: Int64)
    /// `body` is a JSON object in canonical field names without the request id.
    case sendMessage(collection: UInt64, requestID: String, body: [UInt8], call: UInt64)
    case resendMessage(collection: UInt64, requestID: String, call: UInt64)
    case appendMessage(collection: UInt64, requestID: String, body: [UInt8], call: UInt64)
    /// `message` is set when the host's send succeeded.
    case handleSendResponse(
        collection: UInt64, requestID: String, message: MessageRecord?, errorCode: Int, call: UInt64)
    /// Exactly one of `messageID` (not 0) and `requestID` (not empty) is given.
    case updateMessage(collection: UInt64, messageID: Int64, requestID: String, body: [UInt8], call: UInt64)
    case deleteMessage(collection: UInt64, messageID: Int64, requestID: String, call: UInt64)
    /// Only lets the engine settle; used by the engine itself after other inputs.
    case nothing
    /// The host lagged behind and lost events of these collections: show them anew.
    case showAnew(collections: [UInt64: Int])
    /// Completes every outstanding call and stops. The driver closes the stores afterwards.
    case close
}
