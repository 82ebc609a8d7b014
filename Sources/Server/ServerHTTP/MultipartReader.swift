import CLinux
import ServerBase

/// A body of type multipart/form-data, taken apart while it comes in (RFC 7578). Fields stay in memory; so do files,
/// unless there is a folder for them.
final class MultipartReader {
    struct Part {
        let head: MultipartHead
        let content: FileContent
    }

    private enum State {
        case preamble
        /// Behind a delimiter: another part follows, or the end.
        case boundary
        case head(MultipartHead, isFirstLine: Bool, room: Int)
        case content(MultipartHead, FileDraft?, isEmpty: Bool)
        case done
    }

    private let delimiter: [UInt8]
    private let end: [UInt8]
    private let folder: (place: FileFolder, limit: Int64)?
    private var state = State.preamble
    private var parts: [Part] = []
    /// What has come and is not taken apart yet, from `position` on.
    private var waiting: [UInt8] = []
    private var position = 0
    /// The bytes of the part that is coming in, unless it goes to a folder.
    private var content: [UInt8] = []
    /// The bytes of all parts that are in memory.
    private var memoryBytes = 0
    private var failure: (any Error)?

    /// The most parts that are taken; each costs memory besides its bytes.
    private static let partLimit = 1000
    /// The most bytes of the lines before a part.
    private static let headLimit = 64 << 10
    private static let lineEnd: [UInt8] = [0x0D, 0x0A]
    private static let dashes = Array("--".utf8)
    private static let broken = Refusal(400_403, "The multipart body is broken.")

    init(contentType: String, folder: (place: FileFolder, limit: Int64)? = nil) {
        let boundary = MultipartHead.parameter("boundary", of: contentType) ?? ""
        delimiter = MultipartReader.dashes + Array(boundary.utf8)
        end = MultipartReader.lineEnd + delimiter
        self.folder = folder
        if boundary.isEmpty || boundary.utf8.count > 200 {
            failure = Refusal(400_403, "The multipart body names no boundary.")
        }
    }

    /// Takes the next bytes of the body.
    func append(_ bytes: UnsafeRawBufferPointer) {
        guard failure == nil else { return }
        waiting.append(contentsOf: bytes)
        do {
            while try step() {}
        } catch {
            failure = error
            parts = []
            state = .done
            position = waiting.count
        }
        waiting.removeFirst(position)
        position = 0
    }

    /// The parts, once the body is complete.
    func finish() throws -> [Part] {
        if let failure { throw failure }
        guard case .done = state else { throw MultipartReader.broken }
        return parts
    }

    /// Does what can be done with the bytes that are there; the result says whether there may be more to do.
    private func step() throws -> Bool {
        switch state {
        case .preamble:
            guard let found = find(delimiter) else {
                position = max(position, waiting.count - delimiter.count + 1)
                return false
            }
            position = found + delimiter.count
            state = .boundary
        case .boundary:
            guard waiting.count - position >= 2 else { return false }
            let isEnd = isNext(MultipartReader.dashes)
            guard isEnd || isNext(MultipartReader.lineEnd) else { throw MultipartReader.broken }
            position += 2
            state = isEnd ? .done : .head(MultipartHead(), isFirstLine: true, room: MultipartReader.headLimit)
        case .head(var head, let isFirstLine, let room):
            // Of two delimiters with only a line end between them, this line end belongs to both: there is no part.
            if mayBeNext(delimiter) {
                guard isNext(delimiter) else { return false }
                guard isFirstLine else { throw MultipartReader.broken }
                position += delimiter.count
                state = .boundary
                return true
            }
            let found = find(MultipartReader.lineEnd)
            let count = (found ?? waiting.count) - position
            guard count <= room else { throw Refusal.tooLong("head of a part") }
            guard found != nil else { return false }
            let line = String(decoding: waiting[position..<(position + count)], as: UTF8.self)
            position += count + 2
            head.take(line)
            state = .head(head, isFirstLine: false, room: room - count)
            if line.isEmpty { state = .content(head, try begin(head), isEmpty: true) }
        case .content(let head, let draft, let isEmpty):
            if isEmpty, mayBeNext(delimiter) {
                guard isNext(delimiter) else { return false }
                throw MultipartReader.broken
            }
            return try takeContent(head, draft)
        case .done:
            position = waiting.count
            return false
        }
        return true
    }

    private func begin(_ head: MultipartHead) throws -> FileDraft? {
        guard !head.name.isEmpty else { throw MultipartReader.broken }
        guard parts.count < MultipartReader.partLimit else { throw Refusal.tooMany("parts") }
        guard head.fileName != nil, let folder else { return nil }
        return try folder.place.draft(limit: folder.limit)
    }

    /// Takes the bytes that certainly belong to the part, up to those that may be the beginning of its end.
    private func takeContent(_ head: MultipartHead, _ draft: FileDraft?) throws -> Bool {
        let found = find(end)
        let stop = found ?? max(position, waiting.count - end.count + 1)
        if let draft {
            try waiting[position..<stop].withUnsafeBytes { try draft.append($0) }
        } else {
            memoryBytes += stop - position
            guard memoryBytes <= HTTPRequest.bodyLimit else { throw Refusal.tooLong(head.name) }
            content += waiting[position..<stop]
        }
        position = stop
        state = .content(head, draft, isEmpty: false)
        guard found != nil else { return false }
        draft?.finish()
        parts.append(Part(head: head, content: draft.map { .draft($0) } ?? .memory(content)))
        content = []
        position += end.count
        state = .boundary
        return true
    }

    private func isNext(_ text: [UInt8]) -> Bool { waiting[position...].starts(with: text) }

    /// Whether the waiting bytes begin with the text, or are themselves a beginning of it.
    private func mayBeNext(_ text: [UInt8]) -> Bool { zip(waiting[position...], text).allSatisfy { $0 == $1 } }

    /// Where the text begins in the waiting bytes.
    private func find(_ text: [UInt8]) -> Int? {
        waiting.withUnsafeBytes { raw in
            guard let base = raw.baseAddress,
                let hit = memmem(base + position, raw.count - position, text, text.count)
            else { return nil }
            return UnsafeRawPointer(hit) - base
        }
    }
}
