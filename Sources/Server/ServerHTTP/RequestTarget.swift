import SyncBytes

/// A request target taken apart: decoded path segments and the query.
public struct RequestTarget {
    /// The raw text, for the traffic log and for faults that go by path.
    public let raw: String
    public let segments: [String]
    public let query: RequestQuery

    public init(_ bytes: [UInt8]) {
        raw = String(decoding: bytes, as: UTF8.self)
        var rest = bytes[...]
        if let hash = rest.firstIndex(of: UInt8(ascii: "#")) { rest = rest[..<hash] }
        // The absolute form that proxies send: everything before the path is dropped.
        if rest.first != UInt8(ascii: "/"), let scheme = RequestTarget.authorityEnd(rest) { rest = rest[scheme...] }
        var path = rest
        var query = rest[rest.endIndex...]
        if let mark = rest.firstIndex(of: UInt8(ascii: "?")) {
            path = rest[..<mark]
            query = rest[(mark + 1)...]
        }
        segments = path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: true)
            .map { PercentEncoding.decode($0, plusIsSpace: false) }
        self.query = RequestQuery(query)
    }

    private static func authorityEnd(_ bytes: ArraySlice<UInt8>) -> Int? {
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), colon + 2 < bytes.endIndex,
            bytes[colon + 1] == UInt8(ascii: "/"), bytes[colon + 2] == UInt8(ascii: "/")
        else { return nil }
        return bytes[(colon + 3)...].firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? bytes.endIndex
    }
}
