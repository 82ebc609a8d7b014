import SyncModel
import SyncStore

/// Files of own messages.
///
/// A message with files of this machine is sent in two steps: each file is uploaded, which gives its address, and then
/// the message is sent with the addresses. Each address is stored in the message's intent as soon as it is known, so
/// whatever fails in between, no file for which the service has answered is uploaded again.
///
/// Files are uploaded in the order in which the messages were written, several at once, over all channels. The messages
/// of a channel with files are sent in their order; messages without files overtake them while files are being
/// uploaded, unless the host wants them to wait (`SendOrder`).
struct OwnFiles {
    let outbox: Outbox

    /// Whether there is anything to do for files.
    var isBusy: Bool { !outbox.messages.files.isEmpty || !outbox.uploads.isEmpty || !outbox.messages.changed.isEmpty }

    var isUploading: Bool { !outbox.uploads.running.isEmpty }

    /// Checks the files of a new message. Returns the body to store, or completes its call with the error.
    func stamped(_ body: [UInt8], call: CallID, _ turn: inout Turn) -> [UInt8]? {
        guard let document = FileDocument(body) else { return body }
        do throws(FileDocument.Unusable) {
            try document.stamp(limit: turn.fileLimit) { (path) throws(FileProblem) in try turn.files.look(at: path) }
            return document.body
        } catch {
            let status = if case .tooLarge = error { Status.tooLarge } else { Status.invalidArgument }
            turn.complete(Completion(
                call: call, name: .sendMessage, status: status, failure: turn.rules.failure(error.cause)))
            return nil
        }
    }

    /// Cancels uploads that nobody needs any more, begins those that may begin now, and sends messages that waited for
    /// a message with files, if that one has failed, has its files uploaded, or was given up.
    func pump(_ turn: inout Turn) {
        pumpUploads(&turn)
        while !outbox.messages.changed.isEmpty {
            for url in outbox.messages.takeChanged() { outbox.pump(url, &turn) }
        }
    }

    private func pumpUploads(_ turn: inout Turn) {
        for requestID in outbox.uploads.running.sorted() where outbox.messages.files[requestID]?.next == nil {
            outbox.uploads.forget(requestID)
            turn.add(.endFile(.message(requestID)))
        }
        let files = outbox.messages.files
        outbox.uploads.forget { files[$0] == nil }
        guard turn.isLoggedIn, !files.isEmpty else { return }
        var wake: Int64?
        for intent in waitingForFiles(turn.context) where outbox.uploads.running.count < turn.options.uploadsAtOnce {
            let until = outbox.uploads.pausedUntil(
                intent.requestID, in: intent.channelURL, now: turn.now.monotonic)
            if let until {
                wake = Moment.earlier(wake, until)
            } else {
                upload(intent, &turn)
            }
        }
        turn.add(.timer(.uploads, at: wake))
    }

    /// Messages with a file that may be uploaded now, oldest first.
    private func waitingForFiles(_ context: Context) -> [Intent] {
        let urls = Set(outbox.messages.files.keys.compactMap { outbox.messages.channelURL(of: $0) })
        let waiting = urls.flatMap { url -> [Intent] in
            guard let channel = outbox.messages[url] else { return [] }
            return outbox.order.waitingForFiles(in: channel, url, outbox.messages.files, context)
        }
        return waiting.filter { !outbox.uploads.running.contains($0.requestID) }.sorted { $0.id < $1.id }
    }

    private func upload(_ intent: Intent, _ turn: inout Turn) {
        guard let index = outbox.messages.files[intent.requestID]?.next, let document = FileDocument(intent.body)
        else { return }
        do throws(FileDocument.Unusable) {
            // A message that the host failed to send was not checked before.
            try document.stamp(limit: nil) { (path) throws(FileProblem) in try turn.files.look(at: path) }
            guard let file = document.file(at: index) else {
                throw .file(.missing, path: document.path(of: index) ?? "")
            }
            if let limit = turn.fileLimit, file.stamp.size > limit { throw .tooLarge(path: file.path, limit: limit) }
            if intent.status == .failed, !outbox.restart(intent, isHostSent: false, &turn) { return }
            outbox.uploads.begin(intent.requestID)
            turn.add(.ask(
                .upload(requestID: intent.requestID, channelURL: intent.channelURL, file: index),
                .uploadFile(channelURL: intent.channelURL, requestID: intent.requestID, file)))
        } catch {
            let failure = turn.rules.failure(error.cause)
            if failure.kind.isForGood { return outbox.fail(intent, failure, isForGood: true, &turn) }
            uploadFailed(intent, failure, &turn)
        }
    }

    /// A file was not uploaded: it is retried after a pause, or its message fails.
    private func uploadFailed(_ intent: Intent, _ failure: ServiceFailure, _ turn: inout Turn) {
        let isCurable = turn.rules.isCurable(code: failure.code)
        let isRetried = outbox.uploads.fail(
            intent.requestID, in: intent.channelURL, failure, isCurable: isCurable, now: turn.now.monotonic,
            turn.random)
        if !isRetried { outbox.fail(intent, failure, &turn) }
    }

    /// The answer to an upload.
    func receive(_ reply: ServiceReply, for requestID: RequestID, file index: Int, _ turn: inout Turn) {
        guard var intent = outbox.intent(requestID), outbox.messages.files[requestID]?.next == index,
            let document = FileDocument(intent.body)
        else { return outbox.uploads.end(requestID) }
        let url = intent.channelURL
        guard case .uploaded(let file) = reply else {
            let failure =
                if case .failure(let failure) = reply { failure } else { turn.rules.failure(.unexpectedReply) }
            return uploadFailed(intent, failure, &turn)
        }
        outbox.uploads.succeed(requestID, in: url)
        document.take(file, for: index)
        intent.body = document.body
        // If this cannot be stored, the next process uploads the file once more.
        _ = outbox.messages.persist(intent, turn.context)
        outbox.messages.put(intent)
        outbox.windows.put(intent, Cause(.localMessagePendingCreated), &turn)
    }
}

extension Outbox {
    var ownFiles: OwnFiles { OwnFiles(outbox: self) }
}
