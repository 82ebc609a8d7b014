import SyncJSON

/// The files in the document of an own message: `file`, one object, or `files`, a list of them.
///
/// A file of this machine has `path`, and `size`, `modified` and `inode` as they were when the message was written. One
/// that the service has taken has `url` besides: so the document says what is still to be uploaded, and a process that
/// begins later uploads nothing twice.
public struct FileDocument {
    private let document: JSON
    private let files: [JSON]

    /// `nil` where there is no file.
    public init?(_ body: [UInt8]) {
        guard FileDocument.mayHaveFile(body), let document = try? JSON.parse(body) else { return nil }
        let one = document["file"].map { [$0] }
        guard let files = one ?? document["files"]?.array, !files.isEmpty else { return nil }
        self.document = document
        self.files = files.filter { $0.kind == .object }
    }

    /// Whether the body may name files. Most messages have none, and need not be parsed.
    private static func mayHaveFile(_ body: [UInt8]) -> Bool {
        let key = Array("\"file".utf8)
        return body.withUnsafeBytes { bytes in
            var start = 0
            while start + key.count <= bytes.count {
                if bytes[start] == key[0], bytes[start..<(start + key.count)].elementsEqual(key) { return true }
                start += 1
            }
            return false
        }
    }

    public var body: [UInt8] { document.serialized() }

    /// Whether messages that were written later in its channel wait until it is sent.
    public var waits: Bool { document["wait"]?.bool ?? false }

    /// The first file that the service does not have.
    public var next: Int? { files.firstIndex { FileDocument.text($0, "url") == nil } }

    /// The most files of one message.
    public static let mostFiles = 30

    /// Whether every file has a path or a URL, and its members can be read. Messages that the host sends by itself were
    /// not checked before.
    public var isSendable: Bool {
        (1...FileDocument.mostFiles).contains(files.count) && (document["file"] == nil || document["files"] == nil)
            && files.allSatisfy { file in
                FileDocument.text(file, "url") ?? FileDocument.text(file, "path") != nil
                    && ["name", "type"].allSatisfy { file[$0] == nil || FileDocument.text(file, $0) != nil }
                    && (file["size"] == nil || file["size"]?.int ?? -1 >= 0)
            }
    }

    /// Completes every file.
    public func complete() { for file in files { FileDocument.complete(file) } }

    /// Gives a file of this machine the name from its path if it has no name, and the type that its name suggests if it
    /// has no type.
    public static func complete(_ file: JSON) {
        guard let path = text(file, "path") else { return }
        let end = String(decoding: path.utf8.split(separator: UInt8(ascii: "/")).last ?? [], as: UTF8.self)
        if file["name"] == nil { file.set("name", .string(end)) }
        if file["type"] == nil { file.set("type", .string(MediaType.guess(file["name"]?.string ?? end))) }
    }

    /// Where a file is on this machine.
    public func path(of index: Int) -> String? {
        files.indices.contains(index) ? FileDocument.text(files[index], "path") : nil
    }

    /// A file as it is to be uploaded; `nil` when its stamp is not known.
    public func file(at index: Int) -> OutgoingFile? {
        guard let path = path(of: index) else { return nil }
        let file = files[index]
        guard let size = file["size"]?.int, let modified = file["modified"]?.int, let inode = file["inode"]?.int
        else { return nil }
        let thumbnails = (file["thumbnail_sizes"]?.array ?? []).compactMap { size -> OutgoingFile.Thumbnail? in
            guard let width = size["width"]?.int, let height = size["height"]?.int else { return nil }
            return OutgoingFile.Thumbnail(width: width, height: height)
        }
        // The type becomes a header field, and a message that the host sends by itself was not checked.
        let type = file["type"]?.string ?? ""
        return OutgoingFile(
            path: path, stamp: FileStamp(size: size, modified: modified, inode: UInt64(bitPattern: inode)),
            name: file["name"]?.string ?? "",
            type: FileDocument.isMediaType(type) ? type : "application/octet-stream", thumbnails: thumbnails,
            requiresAuth: file["require_auth"]?.bool ?? false)
    }

    /// Whether a text can be the media type in the head of a body.
    public static func isMediaType(_ text: String) -> Bool {
        (1...255).contains(text.utf8.count) && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
    }

    /// Notes the stamps of the files of this machine that have none yet.
    public func stamp(limit: Int64?, _ look: (String) throws(FileProblem) -> FileStamp) throws(Unusable) {
        for (index, file) in files.enumerated() {
            let isKnown = FileDocument.text(file, "url") != nil || self.file(at: index) != nil
            guard !isKnown, let path = path(of: index) else { continue }
            let stamp: FileStamp
            do throws(FileProblem) { stamp = try look(path) } catch { throw .file(error, path: path) }
            if let limit, stamp.size > limit { throw .tooLarge(path: path, limit: limit) }
            file.set("size", .int(stamp.size))
            file.set("modified", .int(stamp.modified))
            file.set("inode", .int(Int64(bitPattern: stamp.inode)))
        }
    }

    public enum Unusable: Error, Equatable {
        case file(FileProblem, path: String)
        case tooLarge(path: String, limit: Int64)

        public var cause: LocalFailure {
            switch self {
            case .file(let problem, let path): .file(problem, path: path)
            case .tooLarge(let path, let limit): .fileTooLarge(path: path, limit: limit)
            }
        }
    }

    /// Notes that the service has taken a file.
    public func take(_ uploaded: UploadedFile, for index: Int) {
        guard files.indices.contains(index) else { return }
        files[index].set("url", .string(uploaded.url))
        if let thumbnails = try? JSON.parse(uploaded.thumbnails) { files[index].set("thumbnails", thumbnails) }
        files[index].set("require_auth", .bool(uploaded.requiresAuth))
    }

    private static func text(_ file: JSON, _ key: String) -> String? {
        file[key]?.string.flatMap { $0.isEmpty ? nil : $0 }
    }
}
