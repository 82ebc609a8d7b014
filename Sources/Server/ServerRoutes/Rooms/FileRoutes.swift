import ServerBase
import ServerChat
import ServerHTTP
import SyncBytes
import SyncJSON

/// Uploaded files lie in the database or in a folder, and come back under an address of this server.
struct FileRoutes: Routes {
    let context: RouteContext

    func upload(_ request: RoutedRequest) throws -> HTTPResponse {
        let caller = try caller(request)
        let payload = try request.payload()
        guard let file = try request.file("file") else { throw Refusal.missing("file") }
        let needsAuth = try payload.bool("require_auth") ?? false
        let sizes = try FileRoutes.sizes(payload)
        if let url = try payload.string("channel_url"), !url.isEmpty {
            try chat.access.checkSending(caller, try chat.channel(url))
        }
        let key = try keep(file.name, file.type, needsAuth, file.content)
        let thumbnails = try thumbnails(of: key, sizes, needsAuth, request)
        return HTTPResponse(
            .object([
                "url": .string(address(of: key, file.name, request)), "thumbnails": thumbnails,
                "require_auth": .bool(needsAuth), "file_size": .int(file.content.count),
                "name": .string(file.name), "type": .string(file.type),
            ]))
    }

    /// Stores the file of a message and returns its address and its thumbnails.
    func store(ofMessage file: UploadedFile, _ request: RoutedRequest) throws -> (url: String, thumbnails: JSON) {
        let payload = try request.payload()
        let needsAuth = try payload.bool("require_auth") ?? false
        let key = try keep(file.name, file.type, needsAuth, file.content)
        let thumbnails = try thumbnails(of: key, FileRoutes.sizes(payload), needsAuth, request)
        return (address(of: key, file.name, request), thumbnails)
    }

    /// Stores a file that anybody may have and returns its address.
    private func store(_ file: UploadedFile, _ request: RoutedRequest) throws -> String {
        address(of: try keep(file.name, file.type, false, file.content), file.name, request)
    }

    private func keep(_ name: String, _ type: String, _ needsAuth: Bool, _ content: FileContent) throws -> String {
        try chat.files.store(FileTable.NewFile(name: name, type: type, needsAuth: needsAuth, content: content))
    }

    private func address(of key: String, _ name: String, _ request: RoutedRequest) -> String {
        // The address by which the client has reached this server is one that it can reach again.
        let origin = request.header("Host").map { "http://\($0)" } ?? options.origin
        let safe = name.utf8.allSatisfy(Self.isPlain) ? name : ""
        return "\(origin)/files/\(key)/\(safe)"
    }

    /// The sizes that a form asks for thumbnails in. Texts that are no sizes are ignored.
    private static func sizes(_ payload: Fields) throws -> [ThumbnailSize] {
        try ["thumbnail1", "thumbnail2", "thumbnail3"].compactMap { try payload.string($0).flatMap(ThumbnailSize.init) }
    }

    /// Smaller pictures of a stored one, stored beside it; none of other files, and none without libgd.
    private func thumbnails(
        of key: String, _ sizes: [ThumbnailSize], _ needsAuth: Bool, _ request: RoutedRequest
    ) throws -> JSON {
        guard !sizes.isEmpty, let library = PictureLibrary.shared else { return .array() }
        let content = try chat.files.file(key).content
        guard content.count <= PictureLibrary.mostBytes else { return .array() }
        let bytes = try content.bytes()
        guard let picture = Picture(bytes) else { return .array() }
        let type = picture.kind == .png ? "image/png" : "image/jpeg"
        return .array(
            try library.thumbnails(of: bytes, picture, sizes).map { thumbnail in
                let key = try keep("", type, needsAuth, .memory(thumbnail.bytes))
                return .object([
                    "url": .string(address(of: key, "", request)), "width": .int(Int64(thumbnail.asked.width)),
                    "height": .int(Int64(thumbnail.asked.height)), "real_width": .int(Int64(thumbnail.width)),
                    "real_height": .int(Int64(thumbnail.height)),
                ])
            })
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// A user's picture that came with the request; its address.
    func storeProfile(_ request: RoutedRequest) throws -> String? {
        guard let file = try request.file("profile_file") else { return nil }
        return try store(file, request)
    }

    /// A channel's cover that came with the request becomes its `cover_url`.
    func storeCover(_ request: RoutedRequest) throws {
        guard let file = try request.file("cover_file") else { return }
        let url = try store(file, request)
        try request.payload().json.set("cover_url", .string(url))
    }

    /// The file, or the range of it that is asked for. The file under a key never changes, so the key is its tag: a
    /// client with a part of another file, that had the same address at another time, gets no range of this one.
    func download(_ request: RoutedRequest) throws -> HTTPResponse {
        let key = request["key"]
        let file = try chat.files.file(key)
        // Clients send their key for every file: it is read whether it is needed or not.
        let given = request.query.text("auth")
        if file.needsAuth, try !given.isByteEqual(to: chat.files.key()) { _ = try caller(request) }
        let tag = "\"\(key)\""
        let range = ByteRange(request.request, tag: tag, of: Int(file.content.count))
        if range == .unsatisfiable {
            var response = HTTPResponse(Refusal(400_113, "The range lies outside of the file.", status: 416))
            response.headers = [("Content-Range", "bytes */\(file.content.count)")]
            return response
        }
        var response = HTTPResponse(body: [])
        response.contentType = file.type.isEmpty ? "application/octet-stream" : file.type
        response.headers = [("Accept-Ranges", "bytes"), ("ETag", tag)]
        var part = 0..<Int(file.content.count)
        if case .part(let asked) = range {
            part = asked
            response.status = 206
            let last = part.upperBound - 1
            response.headers.append(("Content-Range", "bytes \(part.lowerBound)-\(last)/\(file.content.count)"))
        }
        switch file.content {
        case .memory(let bytes): response.body = part.count == bytes.count ? bytes : Array(bytes[part])
        case .disk(let path, _):
            response.filePart = FilePart(path: path, range: Int64(part.lowerBound)..<Int64(part.upperBound))
        }
        return response
    }
}
