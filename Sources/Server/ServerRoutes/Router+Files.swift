import ServerBase
import ServerChat
import ServerHTTP
import SyncBytes
import SyncJSON

// Uploaded files lie in the database and come back under an address of this server.
extension Router {
    func upload(_ request: RoutedRequest) throws -> HTTPResponse {
        let caller = try caller(request)
        let payload = try request.payload()
        guard let file = try request.file("file") else { throw Refusal.missing("file") }
        let needsAuth = try payload.bool("require_auth") ?? false
        if let url = try payload.string("channel_url"), !url.isEmpty {
            try chat.checkSending(caller, try chat.channel(url))
        }
        let url = try storeFile(file, needsAuth: needsAuth, request)
        return HTTPResponse(
            .object([
                "url": .string(url), "thumbnails": .array(), "require_auth": .bool(needsAuth),
                "file_size": .int(Int64(file.bytes.count)), "name": .string(file.name), "type": .string(file.type),
            ]))
    }

    /// Stores a file and returns its address.
    func storeFile(_ file: UploadedFile, needsAuth: Bool, _ request: RoutedRequest) throws -> String {
        let key = try chat.store(
            Storage.File(name: file.name, type: file.type, needsAuth: needsAuth, bytes: file.bytes))
        // The address by which the client reached us is the one that it can reach.
        let host = request.header("Host") ?? options.address
        let safe = file.name.utf8.allSatisfy(Router.isPlain) ? file.name : ""
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
        return try storeFile(file, needsAuth: false, request)
    }

    /// A channel's cover that came with the request becomes its `cover_url`.
    func storeCover(_ request: RoutedRequest) throws {
        guard let file = try request.file("cover_file") else { return }
        let url = try storeFile(file, needsAuth: false, request)
        try request.payload().json.set("cover_url", .string(url))
    }

    /// The file, or the range of it that is asked for.
    func download(_ request: RoutedRequest) throws -> HTTPResponse {
        let file = try chat.users.file(request["key"])
        if file.needsAuth { try checkFileKey(request) }
        var response = HTTPResponse(body: file.bytes)
        response.contentType = file.type.isEmpty ? "application/octet-stream" : file.type
        // An address is of one file for good.
        let tag = "\"\(request["key"])\""
        response.headers = [("Accept-Ranges", "bytes"), ("ETag", tag)]
        let isOfThis = request.header("If-Range").map { $0.isByteEqual(to: tag) } ?? true
        switch ByteRange(isOfThis ? request.header("Range") : nil, of: file.bytes.count) {
        case .whole: break
        case .part(let range):
            response.status = 206
            response.body = Array(file.bytes[range])
            response.headers.append(
                ("Content-Range", "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(file.bytes.count)"))
        case .unsatisfiable:
            response = HTTPResponse(Refusal(400_113, "The range lies outside of the file.", status: 416))
            response.headers = [("Content-Range", "bytes */\(file.bytes.count)")]
        }
        return response
    }

    private func checkFileKey(_ request: RoutedRequest) throws {
        if try request.query.text("auth").isByteEqual(to: chat.users.fileKey()) { return }
        _ = try caller(request)
    }
}
