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
        if let url = try payload.string("channel_url"), !url.isEmpty {
            try chat.checkSending(caller, try chat.channel(url))
        }
        let url = try store(file, needsAuth: needsAuth, request)
        return HTTPResponse(
            .object([
                "url": .string(url), "thumbnails": .array(), "require_auth": .bool(needsAuth),
                "file_size": .int(file.content.count), "name": .string(file.name), "type": .string(file.type),
            ]))
    }

    /// Stores a file and returns its address.
    func store(_ file: UploadedFile, needsAuth: Bool, _ request: RoutedRequest) throws -> String {
        let key = try ChatFiles(chat).store(
            FileTable.NewFile(name: file.name, type: file.type, needsAuth: needsAuth, content: file.content))
        // The address by which the client reached us is the one that it can reach.
        let host = request.header("Host") ?? options.address
        let safe = file.name.utf8.allSatisfy(Self.isPlain) ? file.name : ""
        return "http://\(host)/files/\(key)/\(safe)"
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
        return try store(file, needsAuth: false, request)
    }

    /// A channel's cover that came with the request becomes its `cover_url`.
    func storeCover(_ request: RoutedRequest) throws {
        guard let file = try request.file("cover_file") else { return }
        let url = try store(file, needsAuth: false, request)
        try request.payload().json.set("cover_url", .string(url))
    }

    /// The file, or the range of it that is asked for. What lies under a key never changes, so the key is its tag: a
    /// range of another file, under the same address at another time, is not taken for one of this.
    func download(_ request: RoutedRequest) throws -> HTTPResponse {
        let key = request["key"]
        let file = try ChatFiles(chat).file(key)
        // Clients send their key for every file: it is read whether it is needed or not.
        let given = request.query.text("auth")
        if file.needsAuth, try !given.isByteEqual(to: ChatFiles(chat).key()) { _ = try caller(request) }
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
