/// The version of a file to which a part belongs, since a server may change the file behind an address.
public struct FileVersion: Equatable, Sendable {
    /// The server's `ETag` or `Last-Modified`, as it is sent in `If-Range`.
    let tag: String
    /// Bytes of the whole; -1 when the server did not say.
    let total: Int64

    /// `nil`: the server gave nothing that identifies the version, so no later exchange can go on with a part of it.
    init?(tag: String?, modified: String?, total: Int64) {
        // Files with the same weak tag may differ in their bytes.
        let strong = tag.flatMap { $0.utf8.starts(with: "\"".utf8) ? $0 : nil }
        guard let tag = strong ?? modified, FileVersion.isHeader(tag) else { return nil }
        (self.tag, self.total) = (tag, total)
    }

    /// From what `text` has written.
    init?(_ bytes: [UInt8]) {
        let parts = bytes.split(separator: 10, maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let total = Int64(String(decoding: parts[0], as: UTF8.self)) else { return nil }
        let tag = String(decoding: parts[1], as: UTF8.self)
        guard FileVersion.isHeader(tag) else { return nil }
        (self.tag, self.total) = (tag, total)
    }

    var text: String { "\(total)\n\(tag)" }

    /// Whether a text may stand in a header field. It comes from a server or a file, so it is checked.
    private static func isHeader(_ text: String) -> Bool {
        (1...512).contains(text.utf8.count) && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
    }
}
