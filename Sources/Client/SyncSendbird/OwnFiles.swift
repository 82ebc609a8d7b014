import SyncJSON
import SyncModel

/// Files in the document of an own message, as the service has them.
enum OwnFiles {
    /// Brings the files into the shape of the socket: one beside the message's own fields, several as a list.
    static func flatten(_ document: JSON) {
        if document["type"]?.string == "FILE" { document.set("type", nil) }
        document.set("wait", nil)
        if let file = document["file"], file.kind == .object {
            document.set("file", nil)
            for key in ["url", "name", "type", "size", "thumbnails", "require_auth"] {
                if let value = file[key] { document.set(key, value) }
            }
        }
        guard let files = document["files"]?.array else { return }
        document.set("files", .array(files.map { file in
            let flat = JSON.object()
            for (key, name) in [
                ("url", "url"), ("name", "file_name"), ("size", "file_size"), ("type", "file_type"),
                ("thumbnails", "thumbnails"), ("require_auth", "require_auth"),
            ] {
                if let value = file[key] ?? file[name] { flat.set(name, value) }
            }
            return flat
        }))
    }
}
