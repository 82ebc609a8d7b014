import SyncBytes

/// The part of a body that a Range header asks for (RFC 9110, one range of bytes; of several the whole is sent).
public enum ByteRange: Equatable {
    case whole
    case part(Range<Int>)
    case unsatisfiable

    /// The part of a file that a request asks for; `tag` is the file's tag. When the request names a tag, its range
    /// counts only for a file with the same tag. Only GET has ranges.
    public init(_ request: HTTPRequest, tag: String, of count: Int) {
        let isMeant = request.header("If-Range").map { $0.isByteEqual(to: tag) } ?? true
        self.init(isMeant && request.method == "GET" ? request.header("Range") : nil, of: count)
    }

    init(_ header: String?, of count: Int) {
        self = .whole
        guard let header, header.hasPrefix("bytes=") else { return }
        let ends = header.dropFirst("bytes=".utf8.count)
            .split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard ends.count == 2 else { return }
        let isNumber = { (text: Substring) in !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) } }
        guard ends.allSatisfy({ $0.isEmpty || isNumber($0) }) else { return }
        // A number too large to hold lies beyond any file.
        let first = ends[0].isEmpty ? nil : Int(ends[0]) ?? .max
        let last = ends[1].isEmpty ? nil : Int(ends[1]) ?? .max
        switch (first, last) {
        case (nil, nil): return
        case (nil, let length?):
            // The last `length` bytes.
            self = length == 0 || count == 0 ? .unsatisfiable : .part(max(0, count - min(length, count))..<count)
        case (let first?, let last):
            if let last, last < first { return }
            guard first < count else {
                self = .unsatisfiable
                return
            }
            self = .part(first..<(min(last ?? .max, count - 1) + 1))
        }
    }
}
