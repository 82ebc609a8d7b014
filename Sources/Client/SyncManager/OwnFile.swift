import SyncJSON
import SyncModel

/// The files in a document with which a host sends a message.
enum OwnFile {
    private enum Field: String {
        case path, url, name, type, size, thumbnailSizes = "thumbnail_sizes", requiresAuth = "require_auth"
    }

    /// The most files of one message, and the most thumbnails of one file.
    private static let mostFiles = FileDocument.mostFiles, mostThumbnails = 3
    private static let thumbnailSide: ClosedRange<Int64> = 1...10_000

    /// Checks `file` or `files` of a message and puts them in the shape in which the outbox keeps them. `false` when
    /// there are none.
    static func read(_ document: DocumentValue) throws(DocumentError) -> Bool {
        let json = document.json
        if let several = document.member("files") {
            if document.member("file") != nil { throw several.failure("\"file\" and \"files\" are not both taken") }
            let files = try several.list()
            guard (1...mostFiles).contains(files.count) else {
                throw several.failure("expected 1 to \(mostFiles) files")
            }
            for file in files { try complete(file) }
            // The service takes a list of two or more.
            if files.count == 1 {
                json.set("file", files[0].json)
                json.set("files", nil)
            }
        } else if let file = document.member("file") {
            try complete(file)
        } else {
            if let wait = document.member("wait") { throw wait.failure("only a message with files is waited for") }
            return false
        }
        json.set("type", "FILE")
        return true
    }

    private static func complete(_ file: DocumentValue) throws(DocumentError) {
        for (name, value) in try file.members() {
            guard let field = Field(rawValue: name) else { throw value.unknown(in: "file") }
            if value.json.isNull { continue }
            switch field {
            case .path, .url, .name: _ = try value.nonemptyText()
            case .type:
                guard FileDocument.isMediaType(try value.nonemptyText()) else {
                    throw value.failure("expected a media type")
                }
            case .size: _ = try value.integer(in: 0...Int64.max)
            case .requiresAuth: _ = try value.flag()
            case .thumbnailSizes: try checkThumbnails(value)
            }
        }
        let json = file.json
        for (name, value) in try file.members() where value.json.isNull { json.set(name, nil) }
        switch (file.member("path"), file.member("url")) {
        case (let path?, nil):
            let text = try path.text()
            // The message may be sent by a later process, which has another working directory.
            guard text.utf8.first == UInt8(ascii: "/") else { throw path.failure("expected an absolute path") }
            if let size = file.member("size") { throw size.failure("of a file with a path it is the file's own") }
            FileDocument.complete(json)
        case (nil, _?):
            if let sizes = file.member("thumbnail_sizes") {
                throw sizes.failure("thumbnails are made when a file is uploaded")
            }
            if file.member("type") == nil, let name = file.member("name") {
                json.set("type", .string(MediaType.guess(try name.text())))
            }
        case (nil, nil): throw file.failure("expected a \"path\" or a \"url\"")
        case (_?, let url?): throw url.failure("\"path\" and \"url\" are not both taken")
        }
    }

    private static func checkThumbnails(_ value: DocumentValue) throws(DocumentError) {
        let sizes = try value.list()
        guard sizes.count <= mostThumbnails else { throw value.failure("expected at most \(mostThumbnails) sizes") }
        for size in sizes {
            for (name, side) in try size.members() {
                guard name == "width" || name == "height" else { throw side.unknown(in: "size") }
                _ = try side.integer(in: thumbnailSide)
            }
            for name in ["width", "height"] where size.member(name) == nil { throw size.missing(name) }
        }
    }
}
