import Glibc
import SyncModel

/// Paths that a host gives relative to its working directory. They are made absolute when they are given: the host may
/// change its working directory, or the library use the path, at any later time.
enum AbsolutePath {
    static func of(_ path: String) -> String {
        guard !path.isEmpty, path.utf8.first != UInt8(ascii: "/") else { return path }
        // Without a working directory, one that was removed, the path leads nowhere.
        guard let directory = getcwd(nil, 0) else { return path }
        defer { free(directory) }
        let base = String(cString: directory)
        return (base.utf8.last == UInt8(ascii: "/") ? base : base + "/") + path
    }
}

extension ActionCall {
    /// The call with an absolute path of the file that it writes, if it writes one.
    var withAbsolutePath: ActionCall {
        switch action {
        case .file(.downloadFile), .library(.export):
            text("path").map { adding("path", .text(AbsolutePath.of($0))) } ?? self
        default: self
        }
    }
}
