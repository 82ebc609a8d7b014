import CCurl
import Glibc
import SyncThreads
import SyncWebSocket

/// One HTTP exchange on the network thread. Only that thread touches it.
final class HTTPTransfer {
    let id: UInt64
    let handle: CurlHandle
    /// The lane in which it counts as in flight; `nil` for a stream.
    var lane: RequestLanes.Lane?
    /// When a stream without an answer fails, by the monotonic clock. libcurl's own time limit would include the body,
    /// which has no end.
    private(set) var nextDeadline = Int64.max
    private let timeoutMS: Int
    private let responseLimit: Int
    private let intake: Intake
    private let receiver: HTTPReceiver
    private let onHold: (UInt64) -> Void
    /// The body goes to the receiver, and is not kept.
    private var isStreaming = false
    private var headers: [(String, String)] = []
    private var headerBytes = 0
    private var body = HTTPBody()
    /// Whether the request was begun on a connection.
    private var hasBegun = false
    /// Why this side refuses the rest of the answer.
    private var refusal: NetworkFailure?
    /// Whether libcurl was ever paused: the owner's intake was shut, or a file was not read or written yet.
    private(set) var wasHeld = false
    /// The file that is sent or received.
    let file: OpenedFile?
    private let progress: (@Sendable (Int64, Int64) -> Void)?
    /// Decides which bytes of the answer belong to the file that is received.
    private var receipt: FileReceipt?
    /// Bytes of the file that were sent, and when progress was told last.
    private var sent: Int64 = 0
    private var toldAt = Int64.min
    /// The body of this answer is the file's.
    private var isReceivingFile = false

    /// All header fields of an answer together; what servers send is a few kilobytes.
    private static let headerLimit = 256 << 10

    /// - Parameter onHold: called with the id when the transfer is paused because its owner's intake is shut.
    init(
        id: UInt64, _ request: HTTPRequest, file: OpenedFile?, on handle: CurlHandle, for intake: Intake,
        _ receiver: HTTPReceiver, onHold: @escaping (UInt64) -> Void
    ) {
        self.id = id
        self.handle = handle
        self.intake = intake
        self.onHold = onHold
        self.receiver = receiver
        self.file = file
        progress = request.progress
        timeoutMS = request.timeoutMS
        responseLimit = max(request.responseLimit, 0)
        handle.setTarget(url: request.url, caFile: request.caFile)
        handle.set(CURLOPT_CONNECTTIMEOUT_MS, Int(Clock.clamped(request.connectTimeoutMS)))
        switch receiver {
        case .whole:
            handle.set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
            if file == nil {
                handle.set(CURLOPT_TIMEOUT_MS, Int(Clock.clamped(request.timeoutMS)))
                // All encodings that this libcurl can unpack.
                handle.set(CURLOPT_ACCEPT_ENCODING, "")
            } else {
                // Only the owner knows how long a file may take: less than a byte a second for so long is no progress.
                handle.set(CURLOPT_LOW_SPEED_LIMIT, 1)
                handle.set(CURLOPT_LOW_SPEED_TIME, Int((Clock.clamped(request.timeoutMS) + 999) / 1000))
            }
        case .pieces:
            // HTTP/1.1, so that the stream has a connection of its own, on which TCP makes the server wait while the
            // stream is paused. With HTTP/2 libcurl would buffer up to 10 MiB of each such stream, and delay all else
            // on its connection, perhaps of another owner.
            handle.set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
            // No compression: a piece might not be unpacked before the next one has come.
            nextDeadline = Clock.monotonic &+ Clock.clamped(request.timeoutMS)
        }
        // A page of messages comes in one piece instead of four. For a stream the piece is smaller: what its owner can
        // process in a few milliseconds, and what may be kept for each of many paused streams. The option is refused by
        // a handle that still has a buffer from a transfer that never began; then that size is used.
        handle.trySet(CURLOPT_BUFFERSIZE, receiver.isStream ? 16 << 10 : 128 << 10)
        setMethod(request)
        for (name, value) in request.headers { handle.addHeader(name, value) }
        if case .received(_, let target, let part) = file { setTarget(target, part, url: request.url) }
        handle.useHeaders()
        setCallbacks(isReading: ["GET", "HEAD"].contains(request.method))
    }

    /// libcurl sends a request once more when its connection was used before and is closed without a byte of an answer.
    /// The service may have done what was asked, so only the owner can know whether it may be asked twice.
    private func forbidRepeating(_ context: UnsafeMutableRawPointer) {
        handle.setBeginning(context: context) { context, _, _, _, _ in
            guard let context else { return CURL_PREREQFUNC_ABORT }
            let transfer = Unmanaged<HTTPTransfer>.fromOpaque(context).takeUnretainedValue()
            guard transfer.hasBegun else {
                transfer.hasBegun = true
                return CURL_PREREQFUNC_OK
            }
            transfer.refusal = NetworkFailure(.closed, "the connection was closed before an answer came")
            return CURL_PREREQFUNC_ABORT
        }
    }

    private func setMethod(_ request: HTTPRequest) {
        if request.method == "HEAD" {
            // Otherwise libcurl would wait for the body that the headers announce.
            handle.set(CURLOPT_NOBODY, 1)
        } else {
            guard HTTPSyntax.isToken(request.method.utf8) else {
                handle.check(CURLE_BAD_FUNCTION_ARGUMENT)
                return
            }
            if case .sent(let reader, let form) = file {
                setForm(reader, form)
                handle.set(CURLOPT_CUSTOMREQUEST, request.method)
                return handle.suppressHeader("Expect")
            }
            let wantsBody = ["POST", "PUT", "PATCH"].contains(request.method)
            if let body = request.body ?? (wantsBody ? [] : nil) {
                handle.set(CURLOPT_POSTFIELDSIZE_LARGE, size: body.count)
                body.withUnsafeBytes { bytes in
                    // A null address would mean "no body"; with the size 0 nothing is read from this one.
                    handle.set(CURLOPT_COPYPOSTFIELDS, pointer: bytes.baseAddress ?? UnsafeRawPointer(handle.pointer))
                }
                if !request.headers.contains(where: { HTTPSyntax.lowercased($0.0.utf8) == "content-type" }) {
                    handle.suppressHeader("Content-Type")
                }
            }
            handle.set(CURLOPT_CUSTOMREQUEST, request.method)
        }
        // Otherwise libcurl waits up to a second for a "100 Continue" that few servers send.
        handle.suppressHeader("Expect")
    }

    private func setForm(_ reader: FileReader, _ form: HTTPForm) {
        handle.setForm(
            form, context: Unmanaged.passUnretained(self).toOpaque(),
            take: { place, size, count, context in
                guard let place, let context else { return Int(CURL_READFUNC_ABORT) }
                let transfer = Unmanaged<HTTPTransfer>.fromOpaque(context).takeUnretainedValue()
                return transfer.giveBody(UnsafeMutableRawPointer(place), room: size &* count)
            },
            seek: { context, offset, origin in
                guard let context, origin == SEEK_SET, offset >= 0 else { return CURL_SEEKFUNC_CANTSEEK }
                let transfer = Unmanaged<HTTPTransfer>.fromOpaque(context).takeUnretainedValue()
                transfer.rewind(to: Int64(offset))
                return CURL_SEEKFUNC_OK
            })
    }

    private func setTarget(_ target: HTTPTarget, _ part: ReceivedPart?, url: String) {
        let receipt = FileReceipt(limit: target.limit, part: part)
        self.receipt = receipt
        for (name, value) in receipt.requestHeaders { handle.addHeader(name, value) }
        // A server may redirect to where the file lies. When the request uses TLS, redirections without TLS are not
        // followed.
        handle.set(CURLOPT_FOLLOWLOCATION, 1)
        handle.set(CURLOPT_MAXREDIRS, 5)
        let isSecure = HTTPSyntax.lowercased(url.utf8.prefix(6)) == "https:"
        handle.set(CURLOPT_REDIR_PROTOCOLS_STR, isSecure ? "https" : "http")
    }

    private func setCallbacks(isReading: Bool) {
        // The transfer outlives its stay in the multi handle, see NetworkLoop.
        let context = Unmanaged.passUnretained(self).toOpaque()
        handle.set(CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
            guard let bytes, let context else { return 0 }
            let transfer = Unmanaged<HTTPTransfer>.fromOpaque(context).takeUnretainedValue()
            return transfer.takeBody(UnsafeRawBufferPointer(start: bytes, count: size &* count))
        }
        handle.set(CURLOPT_WRITEDATA, pointer: context)
        handle.set(CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
            guard let bytes, let context else { return 0 }
            let transfer = Unmanaged<HTTPTransfer>.fromOpaque(context).takeUnretainedValue()
            return transfer.takeHeader(UnsafeRawBufferPointer(start: bytes, count: size &* count))
        }
        handle.set(CURLOPT_HEADERDATA, pointer: context)
        if !isReading { forbidRepeating(context) }
    }

    /// Takes a piece of the body. A result other than its size makes libcurl pause or end the transfer.
    private func takeBody(_ bytes: UnsafeRawBufferPointer) -> Int {
        if refusal != nil { return 0 }
        if isStreaming, case .pieces(let handler) = receiver {
            guard !intake.isShut else {
                wasHeld = true
                onHold(id)
                return Int(CURL_WRITEFUNC_PAUSE)
            }
            handler(.bytes(Array(bytes)))
            return bytes.count
        }
        if isReceivingFile, case .received(let writer, _, _) = file { return receive(bytes, writer) }
        if let reason = reasonAgainst(bytes.count) {
            refusal = reason
            return 0
        }
        guard body.append(bytes) else {
            intake.release(bytes.count)
            refusal = NetworkFailure(.cannotConnect, "out of memory")
            return 0
        }
        return bytes.count
    }

    // MARK: Files

    /// Gives the next bytes of the file that is sent.
    private func giveBody(_ place: UnsafeMutableRawPointer, room: Int) -> Int {
        guard case .sent(let reader, _) = file else { return Int(CURL_READFUNC_ABORT) }
        switch reader.take(into: place, room: room) {
        case .bytes(let count):
            sent += Int64(count)
            tellProgress()
            return count
        case .nothingYet:
            wasHeld = true
            return Int(CURL_READFUNC_PAUSE)
        case .end: return 0
        case .failed:
            if case .failed(let failure) = reader.outcome { refusal = failure }
            return Int(CURL_READFUNC_ABORT)
        }
    }

    private func rewind(to offset: Int64) {
        guard case .sent(let reader, _) = file else { return }
        reader.rewind(to: offset)
        sent = offset
    }

    private func receive(_ bytes: UnsafeRawBufferPointer, _ writer: FileWriter) -> Int {
        if let reason = receipt?.reason(against: bytes.count) {
            refusal = reason
            return 0
        }
        switch writer.take(bytes) {
        case true?:
            receipt?.took(bytes.count)
            tellProgress()
            return bytes.count
        case false?:
            if case .failed(let failure) = writer.outcome { refusal = failure }
            return 0
        case nil:
            wasHeld = true
            return Int(CURL_WRITEFUNC_PAUSE)
        }
    }

    /// Bytes of the file that were sent or received, and all that it has; -1 while that is not known.
    private var amount: (done: Int64, total: Int64) {
        if let receipt { return (receipt.done, receipt.total) }
        guard case .sent(_, let form) = file else { return (0, -1) }
        return (sent, form.stamp.size)
    }

    private func tellProgress() {
        let now = Clock.monotonic
        guard let progress, now &- 100 >= toldAt else { return }
        toldAt = now
        progress(amount.done, amount.total)
    }

    /// The head of an answer has come: whether its body is the file's, and from where on.
    private func beginFile(_ writer: FileWriter) {
        switch receipt?.begin(status: handle.responseStatus, headers) {
        case .beginning(let version)?:
            writer.startOver(version)
            isReceivingFile = true
        case .rest?: isReceivingFile = true
        case .noFile?, nil: break
        }
        if refusal == nil { refusal = receipt?.refusal }
    }

    /// Whether the file is complete and is now given its final name; then the exchange ends when it has that name.
    func finishFile(_ code: CURLcode) -> Bool {
        guard case .received(let writer, _, _) = file, code == CURLE_OK, refusal == nil else { return false }
        let isWhole = receipt?.isWhole(status: handle.responseStatus, headers) ?? false
        refusal = receipt?.refusal
        if isWhole { writer.finish() }
        return isWhole
    }

    /// Ends the exchange when the file has got its final name or cannot get it; `false` when neither is so yet.
    func fileEnded() -> Bool {
        switch file?.work.outcome {
        case .complete?: succeed(status: 200)
        case .failed(let failure)?: fail(failure)
        default: return false
        }
        return true
    }

    /// Why so many more bytes of the body are refused; `nil` when they are taken, and count against the intake.
    private func reasonAgainst(_ count: Int) -> NetworkFailure? {
        if intake.isOver { return NetworkFailure(.cancelled, "nobody waits for the answer") }
        guard count <= responseLimit &- body.count else {
            return NetworkFailure(.tooLarge, "the answer is larger than \(responseLimit) bytes")
        }
        guard intake.reserve(count) else {
            let limit = intake.bodyLimit
            return NetworkFailure(.crowded, "the answers in flight hold more than \(limit) bytes together")
        }
        return nil
    }

    private func takeHeader(_ bytes: UnsafeRawBufferPointer) -> Int {
        headerBytes = headerBytes &+ bytes.count
        guard headerBytes <= HTTPTransfer.headerLimit else {
            let limit = HTTPTransfer.headerLimit
            refusal = NetworkFailure(.tooLarge, "the answer's header fields are larger than \(limit) bytes")
            return 0
        }
        // A status line: of the answer, or of an interim one whose fields are not wanted.
        if bytes.starts(with: "HTTP/".utf8) { headers = [] }
        if bytes.elementsEqual("\r\n".utf8) || bytes.elementsEqual("\n".utf8) { headEnded() }
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { return bytes.count }
        let name = HTTPSyntax.lowercased(bytes[..<colon])
        var value = bytes[(colon + 1)...]
        while let first = value.first, first == 32 || first == 9 { value = value.dropFirst() }
        while let last = value.last, last == 13 || last == 10 || last == 32 || last == 9 { value = value.dropLast() }
        let text = String(decoding: value, as: UTF8.self)
        headers.append((name, text))
        if name == "content-length", let length = Int(text), file == nil { body.announce(min(length, responseLimit)) }
        return bytes.count
    }

    private func headEnded() {
        if case .received(let writer, _, _) = file { return beginFile(writer) }
        guard case .pieces(let handler) = receiver, handle.responseStatus == 200, !isStreaming else { return }
        isStreaming = true
        nextDeadline = Int64.max
        handler(.opened)
    }

    /// What ended the exchange: this side, or what libcurl says.
    func failure(_ code: CURLcode) -> NetworkFailure { refusal ?? handle.failure(code) }

    /// The failure of a stream whose deadline has passed.
    var lateness: NetworkFailure { NetworkFailure(.timedOut, "no answer within \(timeoutMS) ms") }

    /// Ends the exchange with libcurl's result.
    func finish(_ code: CURLcode) {
        guard code == CURLE_OK, refusal == nil else { return fail(failure(code)) }
        if isStreaming, case .pieces(let handler) = receiver { return handler(.ended(nil)) }
        let status = handle.responseStatus
        if case .received = file, (200..<300).contains(status) {
            return fail(NetworkFailure(.protocolError, "the answer has no file (status \(status))"))
        }
        succeed(status: status)
    }

    private func succeed(status: Int) {
        // After some answers no later exchange can go on with the received part.
        file?.work.end(discarding: receipt?.isUseless(status: status) ?? false)
        let (done, total) = amount
        if done > 0, (200..<300).contains(status) { progress?(done, total < 0 ? done : total) }
        let response = HTTPResponse(status: status, headers: headers, body: body.take())
        switch receiver {
        case .whole(let completion): completion(.success(response))
        case .pieces(let handler): handler(.refused(response))
        }
    }

    func fail(_ failure: NetworkFailure) {
        intake.release(body.count)
        body = HTTPBody()
        file?.work.end(discarding: receipt?.isUseless ?? false)
        receiver.fail(failure)
    }

    /// Goes on after a pause. The bytes that libcurl has buffered come at once, or pause the transfer again.
    func readOn() -> CURLcode {
        if case .sent = file { return handle.sendOn() }
        return handle.readOn()
    }
}
