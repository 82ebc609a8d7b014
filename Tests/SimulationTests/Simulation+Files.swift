import SyncJSON
import SyncModel
import SyncStore
import TestSupport

@testable import SyncEngine

/// Messages with files: the host sends them, files change and go before they are uploaded, and processes die over it.
extension Simulation {
    private static let largest = Int(SimulatedService.fileLimit) << 20

    func fileAct() {
        guard files.random.chance(20), let view = files.random.pick(engine.shownMessages) else { return }
        switch files.random.below(20) {
        case 0..<12: sendFiles(view)
        case 12..<15: changeFile()
        case 15..<17: resendFiles(view.window.id)
        default: cancelFiles(view.window.id)
        }
    }

    // MARK: Acts

    private func sendFiles(_ view: (channelURL: String, window: MessageWindow)) {
        lastText += 1
        let requestID = "r\(seed)-\(lastText)"
        let text = "mine \(seed) \(lastText)"
        let made = (0..<(files.random.chance(30) ? 2 + Int(files.random.below(2)) : 1)).map { makeFile(requestID, $0) }
        let message = JSON.object(["message": .string(text)])
        if made.count == 1, files.random.chance(80) {
            message.set("file", document(made[0]))
        } else {
            message.set("files", .array(made.map(document)))
        }
        if files.random.chance(20) { message.set("wait", true) }
        if let parent = Int64(view.window.filter.parentID) { message.set("parent_message_id", .int(parent)) }
        files.wrote(requestID, made)
        let process = processNumber
        mayDraft(text, view)
        guard process == processNumber else { return }
        knowledge.write(requestID, text, view.channelURL)
        if files.random.chance(25) { service.control("lose_next_ack") }
        let call = newCall("send_message")
        knowledge.sent(requestID, call: call)
        session.asked.insert(requestID)
        command(.call(
            call, .own(.send(requestID: RequestID(requestID), body: message.serialized()), in: view.window.id)))
        guard let result = results[call] else { return }
        // Refused at once, as the host was told.
        if result.status == .tooLarge { seen.insert("file too large") }
        if !engine.ownMessages.contains(where: { $0.requestID.text == requestID }) { knowledge.settle(requestID) }
    }

    /// Of this machine mostly; sometimes none is there, and sometimes it is larger than the service takes.
    private func makeFile(_ requestID: String, _ index: Int) -> FileKnowledge.File {
        if files.random.chance(10) {
            return FileKnowledge.File(path: nil, address: "http://elsewhere/\(requestID)-\(index).png", bytes: [])
        }
        let path = "/files/\(requestID)-\(index).\(files.random.pick(["png", "txt", "bin"]) ?? "bin")"
        var bytes = Array("\(requestID) \(index) ".utf8)
        bytes += Array(repeating: UInt8(ascii: "."), count: Int(files.random.below(2_000)))
        if files.random.chance(5) { bytes = Array(repeating: 0, count: Simulation.largest + 1) }
        if !files.random.chance(4) { disk.write(path, bytes, at: time) }
        return FileKnowledge.File(path: path, address: nil, bytes: bytes)
    }

    private func document(_ file: FileKnowledge.File) -> JSON {
        let document = JSON.object()
        if let path = file.path { document.set("path", .string(path)) }
        if let address = file.address { document.set("url", .string(address)) }
        if file.path != nil, files.random.chance(20) { document.set("require_auth", true) }
        FileDocument.complete(document)
        return document
    }

    /// Own messages with files that the service does not have.
    private var filesHere: [Intent] { engine.ownMessages.filter { files.messages[$0.requestID.text] != nil } }

    /// One that waits to be sent is another one now, or gone.
    private func changeFile() {
        guard let own = files.random.pick(filesHere),
            let path = files.random.pick((files.messages[own.requestID.text] ?? []).compactMap(\.path))
        else { return }
        if files.random.chance(40) {
            note("\(path) goes")
            disk.remove(path)
        } else {
            note("\(path) changes")
            disk.write(path, Array("another one \(time)".utf8), at: time)
        }
    }

    private func resendFiles(_ id: CollectionID) {
        guard let own = files.random.pick(filesHere.filter({ $0.status == .failed })) else { return }
        let call = newCall("send_message")
        knowledge.sent(own.requestID.text, call: call)
        resent([own.requestID.text])
        command(.call(call, .own(.resend(requestID: own.requestID), in: id)))
        if results[call]?.failure?.code == 800_270 { seen.insert("file refused again") }
    }

    /// Of one that is being uploaded, mostly.
    private func cancelFiles(_ id: CollectionID) {
        let uploading = Set(network.uploads.values.compactMap(Simulation.requestID))
        let here = filesHere
        guard let own = files.random.pick(here.filter { uploading.contains($0.requestID.text) })
            ?? files.random.pick(here)
        else { return }
        let call = newCall("delete_message")
        command(.call(call, .own(.delete(.unsent(requestID: own.requestID)), in: id)))
        guard results[call]?.status == .ok else { return }
        knowledge.settle(own.requestID.text)
        if uploading.contains(own.requestID.text) { seen.insert("file canceled") }
        if network.uploads.values.contains(where: { Simulation.requestID($0) == own.requestID.text }) {
            violation = violation ?? Violation(description: "\(own.requestID) was given up, and is uploaded on")
        }
    }

    /// Before the answer to an upload is taken: the process may die at any statement that follows it.
    func mayDieOverUpload() {
        guard isFaulty, traits.hasStoreFaults, files.random.chance(15) else { return }
        device.faults.die(after: Int(files.random.below(8)))
    }

    /// An upload has ended; sometimes the process with it.
    func uploadEnded(_ form: TransportForm, _ input: TransportInput, isSameProcess: Bool) {
        guard isSameProcess, hostile == nil else { return }
        if case .response(_, let response) = input, response.status == 200, let id = Simulation.requestID(form),
            let url = (try? JSON.parse(response.body))?["url"]?.string
        {
            uploaded(form.path, as: url, of: id)
        }
        if isFaulty, files.random.chance(10) {
            seen.insert("killed between upload and send")
            restart()
        }
    }

    /// The service has a file: the message says so, and the disk too unless it failed.
    private func uploaded(_ path: String, as url: String, of requestID: String) {
        guard let own = engine.ownMessages.first(where: { $0.requestID.text == requestID }) else { return }
        guard String(decoding: own.body, as: UTF8.self).contains(Simulation.inDocument(url)) else {
            violation = violation ?? Violation(description: "\(requestID) does not know that \(path) is \(url)")
            return
        }
        let stored = device.storedIntent(requestID).map { String(decoding: $0.body, as: UTF8.self) }
        if stored?.contains(Simulation.inDocument(url)) == true || !traits.hasStoreFaults { files.take(path) }
        seen.insert("file uploaded")
    }

    /// As it stands in a document.
    private static func inDocument(_ url: String) -> String { JSON.string(url).text }

    static func requestID(_ form: TransportForm) -> String? {
        form.fields.first { $0.name == "request_id" }?.value
    }

    // MARK: What must hold

    /// A file is uploaded for a message that is here and may go out, one at a time of each, two in all, and never when
    /// the device knows already that the service has it.
    func violationOfUpload(_ form: TransportForm, among others: [TransportForm]) -> Violation? {
        if others.contains(where: { $0.path == form.path }) {
            return Violation(description: "\(form.path) is uploaded twice at once")
        }
        guard others.count < 2 else {
            return Violation(description: "\(form.path) is uploaded beside \(others.map(\.path))")
        }
        if files.taken.contains(form.path) { return Violation(description: "\(form.path) is uploaded again") }
        guard let id = Simulation.requestID(form),
            let own = engine.ownMessages.first(where: { $0.requestID.text == id })
        else { return Violation(description: "\(form.path) is uploaded for no message") }
        // An upload that has begun is repeated with a new session key, whatever became of the channel: its message is
        // looked at once more when it goes out.
        if session.uploads.contains(form.path) { return nil }
        if let violation = violationOfGoingOut(own, in: own.channelURL.text) { return violation }
        session.uploads.insert(form.path)
        return nil
    }

    /// What goes out names the files as they were when the message was written, and none that waits before it is passed
    /// by another one with files, nor by any message when it asks them to wait.
    func violationOfFiles(_ own: Intent, _ body: JSON) -> Violation? {
        guard hostile == nil else { return nil }
        if let wanted = files.messages[own.requestID.text] {
            if let wrong = problem(of: Simulation.urls(body, one: body), wanted) {
                return Violation(description: "\(own.requestID): \(wrong)")
            }
        }
        let isWithFiles = files.messages[own.requestID.text] != nil
        let passed = engine.ownMessages.first { other in
            guard other.id < own.id, other.channelURL == own.channelURL, other.status == .pending,
                other.retryCount == 0, !other.isHostSent, session.asked.contains(other.requestID.text),
                files.messages[other.requestID.text] != nil
            else { return false }
            return isWithFiles || FileDocument(other.body)?.waits == true
        }
        return passed.map { Violation(description: "\(own.requestID) passes \($0.requestID)") }
    }

    /// The addresses of the files of a message: of the list, or of the one.
    private static func urls(_ message: JSON, one: JSON?) -> [String] {
        (message["files"]?.array ?? [one ?? .null]).map { $0["url"]?.string ?? "" }
    }

    /// What is wrong with the addresses under which the service has a message's files.
    private func problem(of urls: [String], _ wanted: [FileKnowledge.File]) -> String? {
        guard urls.count == wanted.count else { return "\(urls.count) files, not \(wanted.count)" }
        for (url, file) in zip(urls, wanted) {
            if let address = file.address, address != url { return "the file is \(url), not \(address)" }
            if file.path != nil, disk.addresses[url] != file.bytes {
                return "\(url) is not what \(file.path ?? "") was"
            }
        }
        return nil
    }

    /// Progress goes on, and does not pass the end.
    func take(_ progress: FileProgress) {
        guard hostile == nil else { return }
        let file = files.messages[progress.requestID.text].flatMap {
            $0.indices.contains(progress.file) ? $0[progress.file] : nil
        }
        guard let path = file?.path, progress.done <= progress.total, progress.total == Int64(file?.bytes.count ?? 0),
            progress.done >= files.progress[path] ?? 0
        else {
            violation = violation ?? Violation(description: "no progress: \(progress)")
            return
        }
        files.reached(progress.done, of: path)
        seen.insert("upload progress")
    }

    /// At the service, the files of messages are what they were when they were written.
    func checkFiles() throws {
        for (id, wanted) in files.messages.sorted(by: { $0.key < $1.key }) {
            guard let text = knowledge.own[id]?.text else { continue }
            for sent in (service.ownIDs[text] ?? []).compactMap({ service.messages[$0] }) {
                guard let there = service.ask("GET", "\(service.path(sent.channelURL))/messages/\(sent.id)") else {
                    continue
                }
                if let wrong = problem(of: Simulation.urls(there, one: there["file"]), wanted) {
                    throw Violation(description: "\(text): \(wrong)")
                }
                seen.insert(wanted.count > 1 ? "files sent" : "file sent")
            }
        }
        for own in filesHere where own.errorCode == 800_270 { seen.insert("file failed: \(own.status)") }
    }

    /// A file is shown as the service has it.
    func compareFiles(_ here: JSON, _ there: JSON, _ id: String) throws {
        func texts(_ message: JSON) -> [String] {
            let all = [message["file"]].compactMap { $0 } + (message["files"]?.array ?? [])
            return all.map { file in
                ["url", "name", "file_name", "type", "file_type", "size", "file_size"].map { file[$0]?.text ?? "-" }
                    .joined(separator: " ")
            }
        }
        guard texts(here) == texts(there) else {
            throw Violation(description: "message \(id): files are \(texts(here)), not \(texts(there))")
        }
    }
}
