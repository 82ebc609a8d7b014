import CLinux
import CWslay
import Glibc
import SyncBytes

// WebSocket framing (RFC 6455) without I/O: bytes in, messages out; messages in, bytes out. The frames themselves are
// libwslay's work. This class adds what libwslay leaves to its user:
//
// - Order. libwslay sends control frames before queued data, and nothing after a close; "text, then close" would lose
//   the text. So every message is turned into bytes at the moment it is queued, and the order of calls is the order on
//   the wire.
// - Memory. Messages are assembled here, not in libwslay, whose chunk per fragment costs a hundred bytes for each
//   one-byte fragment. The message limit counts the whole message over all its fragments; the output limit counts all
//   that waits, also the pongs that a flooding peer provokes.
// - End of input. libwslay remembers its last error; "would block" is set afresh on each empty read.
//
// There are no clocks: close, ping and dead-peer deadlines belong to the owner of the socket.

/// One side of one WebSocket connection after its handshake, for client and server alike.
///
/// Not thread-safe: one thread at a time. Nothing here blocks, calls back later or touches a socket.
public final class WebSocketCodec {
    /// Which side of the connection this is: a client masks what it sends and takes only unmasked frames, a server the
    /// reverse.
    public enum Role: Sendable { case client, server }

    /// What the peer sent, complete and checked: text is valid UTF-8.
    public enum Event: Equatable, Sendable {
        case text([UInt8])
        case binary([UInt8])
        /// The pong is queued already.
        case ping([UInt8])
        case pong([UInt8])
        /// The peer's close frame; the answering close frame is queued already. The code is 1005 if it held none. The
        /// reason is bytes from the peer, meant to be UTF-8.
        case close(code: UInt16, reason: [UInt8])
    }

    /// Whether the peer takes our bytes too slowly: the output limit was passed and bytes were lost; or it floods us
    /// with pings and takes none of our pongs. The stream is broken; the owner must drop the connection.
    public private(set) var isOutputOverflowing = false

    private let messageLimit: Int
    private let outputLimit: Int
    private var context: wslay_event_context_ptr?

    /// The bytes given to `receive`, while it runs.
    private var input = UnsafeRawBufferPointer(start: nil, count: 0)
    private var inputOffset = 0
    private var message: [UInt8] = []
    /// Whether the frame being received is part of a message, not a control frame between its fragments.
    private var isDataFrame = false
    private var events: [Event] = []

    private var output: [UInt8] = []
    private var outputOffset = 0
    private var sendsClose = false
    /// Bytes of answers that libwslay queued by itself since the output was empty last.
    private var answeredBytes = 0
    /// The most of these bytes: answers to pings must not fill the buffer for messages.
    private static let answerLimit = 256 << 10

    private var randomness: [UInt8] = []

    /// Makes a codec whose handshake is done.
    ///
    /// - Parameters:
    ///   - messageLimit: the largest message in bytes that the peer may send; a larger one ends the connection with
    ///     close code 1009.
    ///   - outputLimit: the most bytes that may wait for the peer; see `isOutputOverflowing`. A close frame is always
    ///     accepted.
    /// - Returns: `nil` if memory is short or a limit is not positive.
    public init?(role: Role, messageLimit: Int, outputLimit: Int) {
        guard messageLimit > 0, outputLimit > 0 else { return nil }
        // Half of the greatest number is as good as no limit, and sums with it never overflow.
        self.messageLimit = min(messageLimit, Int.max / 2)
        self.outputLimit = min(outputLimit, Int.max / 2)
        var callbacks = WebSocketCodec.callbacks()
        let user = Unmanaged.passUnretained(self).toOpaque()
        let result =
            switch role {
            case .client: wslay_event_context_client_init(&context, &callbacks, user)
            case .server: wslay_event_context_server_init(&context, &callbacks, user)
            }
        guard result == 0, let context else { return nil }
        // Data messages are assembled here; libwslay's own limit then holds for each single frame, and for control
        // frames, which must pass even under a tiny message limit.
        wslay_event_config_set_no_buffering(context, 1)
        wslay_event_config_set_max_recv_msg_length(context, UInt64(max(messageLimit, 125)))
    }

    private static func callbacks() -> wslay_event_callbacks {
        var callbacks = wslay_event_callbacks()
        callbacks.recv_callback = { context, buffer, count, _, user in
            guard let codec = WebSocketCodec.from(user), let buffer else { return -1 }
            let taken = codec.takeInput(buffer, count)
            if taken > 0 { return taken }
            wslay_event_set_error(context, WSLAY_ERR_WOULDBLOCK.rawValue)
            return -1
        }
        callbacks.send_callback = { context, bytes, count, _, user in
            guard let codec = WebSocketCodec.from(user) else { return -1 }
            codec.appendOutput(UnsafeRawBufferPointer(start: bytes, count: count))
            return count
        }
        callbacks.genmask_callback = { _, buffer, count, user in
            guard let codec = WebSocketCodec.from(user), let buffer else { return -1 }
            return codec.fillMask(buffer, count) ? 0 : -1
        }
        callbacks.on_frame_recv_start_callback = { _, frame, user in
            guard let codec = WebSocketCodec.from(user), let frame = frame?.pointee else { return }
            codec.frameStarts(opcode: frame.opcode, length: frame.payload_length)
        }
        callbacks.on_frame_recv_chunk_callback = { _, chunk, user in
            guard let codec = WebSocketCodec.from(user), let chunk = chunk?.pointee else { return }
            codec.frameContinues(UnsafeRawBufferPointer(start: chunk.data, count: chunk.data_length))
        }
        callbacks.on_msg_recv_callback = { _, message, user in
            guard let codec = WebSocketCodec.from(user), let message = message?.pointee else { return }
            codec.messageEnds(message)
        }
        return callbacks
    }

    deinit {
        if let context { wslay_event_context_free(context) }
    }

    // MARK: Receiving

    /// Feeds bytes from the peer and returns the messages they complete, in order.
    ///
    /// Pongs, the answer to a close frame and the close frame for a violated protocol (1002, 1007, 1009) are queued by
    /// themselves. After the peer's close frame or a violation all further bytes are ignored.
    public func receive(_ bytes: UnsafeRawBufferPointer) -> [Event] {
        guard let context, wslay_event_want_read(context) != 0, !bytes.isEmpty else { return [] }
        input = bytes
        inputOffset = 0
        // The result only repeats what want_read and the queued close frame say: a violated protocol.
        _ = wslay_event_recv(context)
        input = UnsafeRawBufferPointer(start: nil, count: 0)
        flush(close: true)
        let completed = events
        events = []
        return completed
    }

    /// The same for an array.
    public func receive(_ bytes: [UInt8]) -> [Event] {
        bytes.withUnsafeBytes { receive($0) }
    }

    /// Whether the peer's bytes are still read: no close frame came and no violation happened.
    public var isReading: Bool {
        guard let context else { return false }
        return wslay_event_want_read(context) != 0
    }

    // MARK: Sending

    /// Queues a text message; `bytes` must be UTF-8 (the peer closes with 1007 otherwise).
    ///
    /// - Returns: `false` if nothing was queued: the connection is closing, or the message exceeds the output limit. If
    ///   it does so because other bytes wait, `isOutputOverflowing` becomes true.
    @discardableResult
    public func sendText(_ bytes: UnsafeRawBufferPointer) -> Bool {
        send(UInt8(WSLAY_TEXT_FRAME.rawValue), bytes)
    }

    @discardableResult
    public func sendText(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { sendText($0) }
    }

    /// Queues a binary message; like `sendText` otherwise.
    @discardableResult
    public func sendBinary(_ bytes: UnsafeRawBufferPointer) -> Bool {
        send(UInt8(WSLAY_BINARY_FRAME.rawValue), bytes)
    }

    @discardableResult
    public func sendBinary(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { sendBinary($0) }
    }

    /// Queues a ping of up to 125 bytes; like `sendText` otherwise.
    @discardableResult
    public func sendPing(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count <= 125 else { return false }
        return send(UInt8(WSLAY_PING.rawValue), bytes)
    }

    @discardableResult
    public func sendPing(_ bytes: [UInt8] = []) -> Bool {
        bytes.withUnsafeBytes { sendPing($0) }
    }

    /// Queues a close frame, after which nothing else can be sent.
    ///
    /// - Parameters:
    ///   - code: 0 for none, else one that RFC 6455 §7.4 lets an endpoint send.
    ///   - reason: UTF-8 of up to 123 bytes.
    /// - Returns: `false` if nothing was queued: closing already, or a code or reason that no close frame may carry.
    @discardableResult
    public func sendClose(code: UInt16, reason: [UInt8] = []) -> Bool {
        guard let context, !isOutputOverflowing, reason.count <= 123 else { return false }
        guard WebSocketCodec.isSendable(code: code) || (code == 0 && reason.isEmpty) else { return false }
        sendsClose = true
        defer { sendsClose = false }
        let queued = reason.withUnsafeBufferPointer {
            // An empty array may have no address, and libwslay hands the address to memcpy all the same.
            var nothing: UInt8 = 0
            return $0.isEmpty
                ? wslay_event_queue_close(context, code, &nothing, 0)
                : wslay_event_queue_close(context, code, $0.baseAddress, $0.count)
        }
        guard queued == 0 else { return false }
        return wslay_event_send(context) == 0 && !isOutputOverflowing
    }

    /// The codes that RFC 6455 §7.4 and its registry let an endpoint put into a close frame.
    static func isSendable(code: UInt16) -> Bool {
        switch code {
        case 1000...1003, 1007...1011, 3000...4999: true
        default: false
        }
    }

    // MARK: Output

    /// How many bytes wait to be written to the socket.
    public var pendingOutputCount: Int { output.count &- outputOffset }

    /// Shows the waiting bytes to `body`, which writes some of them to the socket and returns how many; those are
    /// dropped. Not called if nothing waits.
    public func withPendingOutput(_ body: (UnsafeRawBufferPointer) -> Int) {
        guard pendingOutputCount > 0 else { return }
        // A second reference to the bytes, so that `body` may call back into this codec.
        let bytes = output
        let written = bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[outputOffset...])) }
        outputOffset = min(outputOffset &+ max(written, 0), output.count)
    }

    /// Whether the closing handshake is over and all output is written: the connection may be closed.
    public var isFinished: Bool {
        guard let context else { return true }
        return wslay_event_want_read(context) == 0 && isCloseSent && pendingOutputCount == 0
    }

    /// Whether a close frame was queued, ours or the answer to the peer's: nothing more can be sent.
    public var isCloseSent: Bool {
        guard let context else { return true }
        return wslay_event_get_write_enabled(context) == 0
    }

    /// The code of our close frame: 1005 if it held none, 1006 if none was sent.
    public var closeCodeSent: UInt16 {
        guard let context else { return 1006 }
        return wslay_event_get_status_code_sent(context)
    }

    /// The code of the peer's close frame: 1005 if it held none, 1006 if none came.
    public var closeCodeReceived: UInt16 {
        guard let context else { return 1006 }
        return wslay_event_get_status_code_received(context)
    }

    // MARK: Inside

    private static func from(_ user: UnsafeMutableRawPointer?) -> WebSocketCodec? {
        guard let user else { return nil }
        return Unmanaged<WebSocketCodec>.fromOpaque(user).takeUnretainedValue()
    }

    private func send(_ opcode: UInt8, _ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let context, !isOutputOverflowing else { return false }
        // 14 is the longest frame header.
        let size = bytes.count &+ 14
        guard size <= outputLimit &- pendingOutputCount else {
            if size <= outputLimit { overflow() }
            return false
        }
        var message = wslay_event_msg()
        message.opcode = opcode
        message.msg = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
        message.msg_length = bytes.count
        guard wslay_event_queue_msg(context, &message) == 0 else { return false }
        return wslay_event_send(context) == 0 && !isOutputOverflowing
    }

    /// Turns what libwslay queued by itself into bytes.
    private func flush(close: Bool) {
        guard let context, wslay_event_want_write(context) != 0 else { return }
        sendsClose = close
        defer { sendsClose = false }
        let before = pendingOutputCount
        if before == 0 { answeredBytes = 0 }
        // Fails only without random bytes for the mask; then libwslay writes no more and the connection is finished.
        if wslay_event_send(context) != 0 { wslay_event_shutdown_read(context) }
        answeredBytes &+= pendingOutputCount &- before
        if answeredBytes > WebSocketCodec.answerLimit, !isCloseSent { overflow() }
    }

    private func overflow() {
        isOutputOverflowing = true
        if let context { wslay_event_shutdown_read(context) }
    }

    private func takeInput(_ buffer: UnsafeMutablePointer<UInt8>, _ room: Int) -> Int {
        let count = min(room, input.count &- inputOffset)
        guard count > 0, let start = input.baseAddress else { return 0 }
        memcpy(buffer, start + inputOffset, count)
        inputOffset &+= count
        return count
    }

    private func appendOutput(_ bytes: UnsafeRawBufferPointer) {
        guard !isOutputOverflowing else { return }
        // A close frame takes at most 131 bytes and is the last of all frames, so it may pass the limit by that much.
        let room = sendsClose ? outputLimit &+ 131 : outputLimit
        guard bytes.count <= room &- pendingOutputCount else { return overflow() }
        if outputOffset == output.count {
            // A burst must not keep its memory for the rest of the connection's life.
            output.removeAll(keepingCapacity: output.capacity <= 64 << 10)
            outputOffset = 0
        } else if outputOffset > 64 << 10, outputOffset > output.count / 2 {
            output.removeFirst(outputOffset)
            outputOffset = 0
        }
        output.append(contentsOf: bytes)
    }

    private func fillMask(_ buffer: UnsafeMutablePointer<UInt8>, _ count: Int) -> Bool {
        if randomness.count < count {
            randomness = [UInt8](repeating: 0, count: max(256, count))
            guard SystemRandom.fill(&randomness) else {
                randomness = []
                return false
            }
        }
        for index in 0..<count { buffer[index] = randomness.removeLast() }
        return true
    }

    private func frameStarts(opcode: UInt8, length: UInt64) {
        isDataFrame = opcode < UInt8(WSLAY_CONNECTION_CLOSE.rawValue)
        guard isDataFrame, let context else { return }
        guard length <= UInt64(max(messageLimit &- message.count, 0)) else {
            message = []
            var nothing: UInt8 = 0
            _ = wslay_event_queue_close(context, UInt16(WSLAY_CODE_MESSAGE_TOO_BIG.rawValue), &nothing, 0)
            return wslay_event_shutdown_read(context)
        }
        // The length that the peer announces is reserved only up to this; beyond that memory grows with the bytes that
        // come.
        if message.isEmpty { message.reserveCapacity(Int(min(length, 256 << 10))) }
    }

    private func frameContinues(_ bytes: UnsafeRawBufferPointer) {
        guard isReading, isDataFrame else { return }
        message.append(contentsOf: bytes)
    }

    private func messageEnds(_ ended: wslay_event_on_msg_recv_arg) {
        // libwslay finishes the current frame even when its start was refused.
        guard isReading || UInt32(ended.opcode) == WSLAY_CONNECTION_CLOSE.rawValue else { return }
        switch UInt32(ended.opcode) {
        case WSLAY_TEXT_FRAME.rawValue:
            events.append(.text(takeMessage()))
        case WSLAY_BINARY_FRAME.rawValue:
            events.append(.binary(takeMessage()))
        case WSLAY_PING.rawValue:
            events.append(.ping([UInt8](UnsafeBufferPointer(start: ended.msg, count: ended.msg_length))))
            flush(close: false)
        case WSLAY_PONG.rawValue:
            events.append(.pong([UInt8](UnsafeBufferPointer(start: ended.msg, count: ended.msg_length))))
        case WSLAY_CONNECTION_CLOSE.rawValue:
            let payload = UnsafeBufferPointer(start: ended.msg, count: ended.msg_length)
            events.append(.close(code: closeCodeReceived, reason: [UInt8](payload.dropFirst(2))))
        default:
            break
        }
    }

    private func takeMessage() -> [UInt8] {
        let taken = message
        message = []
        return taken
    }
}
