import SyncModel

/// An own message that the service does not have yet.
public struct Intent: Equatable, Sendable {
    public enum Status: Int64, Sendable {
        case pending = 0
        case failed = 1
        /// The service has accepted the message, but has not yet told its place among the others.
        case accepted = 2
    }

    /// The ids that rows may have; SQLite's range beyond them is never reached.
    static let ids: ClosedRange<Int64> = 1...(1 << 62)
    static let times: ClosedRange<Int64> = -(1 << 53)...(1 << 53)
    static let retries: ClosedRange<Int64> = 0...Int64(Int32.max)

    /// Grows with every intent; the order in which they were written.
    public var id: Int64
    public var channelURL: ChannelURL
    /// The same for every attempt, so that a repeated one does no harm.
    public var requestID: RequestID
    /// Milliseconds since the epoch, by this machine.
    public var createdAt: Int64
    public var status: Status
    /// The service's or client's code of the last failure; 0 when there was none.
    public var errorCode: Int
    public var retryCount: Int
    /// JSON object with the message's fields.
    public var body: [UInt8]
    /// The host sends it by its own means and reports the outcome.
    public var isHostSent: Bool
    /// The service's id of an accepted one.
    public var messageID: MessageID?

    /// An attempt has failed; this stays true while it is sent again. Hosts see it in the list of failed messages until
    /// it is sent.
    public var hasFailed: Bool { status == .failed || retryCount > 0 && status != .accepted }

    /// The checksum of all columns.
    var checksum: Int64 {
        var checksum = RowChecksum()
        checksum.add(id)
        checksum.add(channelURL)
        checksum.add(requestID)
        for number in [
            createdAt, status.rawValue, Int64(errorCode), Int64(retryCount), isHostSent ? 1 : 0,
        ] { checksum.add(number) }
        checksum.add(body)
        checksum.add(messageID?.text ?? "")
        return checksum.value
    }
}
