/// Decides for an exchange that receives a file: whether the body of an answer belongs to the file, at which byte it
/// begins, and whether the file is whole. It uses neither a connection nor a disk: the caller has both, asks, and
/// carries out the decision.
public struct FileReceipt: Sendable {
    public enum Beginning: Equatable, Sendable {
        /// The body does not belong to the file.
        case noFile
        /// The body is all of the file, in this version: the part that was received before is dropped.
        case beginning(FileVersion?)
        /// The body goes on where the part ends that was received before.
        case rest
    }

    private let limit: Int64
    private let part: ReceivedPart?
    /// Bytes of the file that were received, also by earlier exchanges.
    public private(set) var done: Int64
    /// Bytes of the whole file; -1 while the answer has not said so.
    public private(set) var total: Int64 = -1
    private var isReceiving = false
    /// Why the answer is refused.
    public private(set) var refusal: NetworkFailure?
    /// What was received belongs to no version that the server has, or is too large: no exchange will go on with it.
    public private(set) var isUseless = false

    /// - Parameters:
    ///   - limit: bytes of the whole file at most.
    ///   - part: what an earlier exchange has received.
    public init(limit: Int64, part: ReceivedPart?) {
        self.limit = limit
        self.part = part
        done = part?.size ?? 0
    }

    /// Header fields by which the request asks for the rest of a part.
    public var requestHeaders: [(String, String)] {
        part.map { [("Range", "bytes=\($0.size)-"), ("If-Range", $0.version.tag)] } ?? []
    }

    /// The head of an answer has come; the names of its fields are in lower case.
    public mutating func begin(status: Int, _ headers: [(String, String)]) -> Beginning {
        var result = Beginning.noFile
        switch status {
        case 200:
            // The server sends the whole file, although only the rest of it may have been asked for.
            let version = AnsweredVersion(headers)
            guard version.isLengthPlain else {
                refuse(NetworkFailure(.protocolError, "the answer does not say one length in bytes"), useless: true)
                break
            }
            total = version.length ?? -1
            done = 0
            result = .beginning(FileVersion(tag: version.tag, modified: version.modified, total: total))
        case 206:
            guard let part, let whole = wholeSize(of: part, headers) else {
                refuse(NetworkFailure(.protocolError, "the answer is another part than was asked for"), useless: true)
                break
            }
            total = whole
            result = .rest
        default: return .noFile
        }
        isReceiving = true
        if total > limit { refuse(tooLarge, useless: true) }
        return result
    }

    /// Why `count` more bytes are refused; `nil`: they are taken, and the caller calls `took` next.
    public mutating func reason(against count: Int) -> NetworkFailure? {
        if Int64(count) > limit - done {
            refuse(tooLarge, useless: true)
        } else if total >= 0, Int64(count) > total - done {
            refuse(NetworkFailure(.protocolError, "the answer is longer than it said"), useless: true)
        }
        return refusal
    }

    public mutating func took(_ count: Int) { done += Int64(count) }

    /// Whether the answer has ended with the whole file; then it may get its name. `refusal` says why not, if there was
    /// a file in it.
    public mutating func isWhole(status: Int, _ headers: [(String, String)]) -> Bool {
        guard refusal == nil else { return false }
        if isReceiving, total >= 0, done != total {
            refuse(NetworkFailure(.closed, "the answer ended after \(done) of \(total) bytes"), useless: false)
            return false
        }
        return isReceiving || isAllThere(status, headers)
    }

    /// Whether, after an answer without the file, the received part belongs to no version that the server has.
    public func isUseless(status: Int) -> Bool { status == 416 || isUseless }

    /// Whether the received part is the whole file: the server says that nothing follows its end.
    private func isAllThere(_ status: Int, _ headers: [(String, String)]) -> Bool {
        guard status == 416, let part else { return false }
        return ContentRange(AnsweredVersion.field("content-range", headers))?.total == part.size
    }

    /// Bytes of the whole file, when this answer is the rest of the part; else `nil`.
    private func wholeSize(of part: ReceivedPart, _ headers: [(String, String)]) -> Int64? {
        guard let range = ContentRange(AnsweredVersion.field("content-range", headers)), range.first == part.size,
            let whole = range.total, range.last == whole - 1, part.version.total < 0 || part.version.total == whole
        else { return nil }
        // An answer to `If-Range` may leave tag and date out. A server that does not know `If-Range` says which version
        // it sends, which must be that of the part.
        let answered = AnsweredVersion(headers)
        guard answered.tag != nil || answered.modified != nil else { return whole }
        return part.version.tag == answered.tag || part.version.tag == answered.modified ? whole : nil
    }

    private mutating func refuse(_ failure: NetworkFailure, useless: Bool) {
        if refusal == nil { refusal = failure }
        if useless { isUseless = true }
    }

    private var tooLarge: NetworkFailure { NetworkFailure(.tooLarge, "the file is larger than \(limit) bytes") }
}

/// What an answer says of its file.
private struct AnsweredVersion {
    let tag: String?
    let modified: String?
    let length: Int64?
    /// The answer says no length, or a number of bytes, perhaps repeated, but always the same one.
    let isLengthPlain: Bool

    init(_ headers: [(String, String)]) {
        let lengths = headers.filter { $0.0 == "content-length" }.map { Int64($0.1) }
        isLengthPlain = lengths.allSatisfy { length in length.map { $0 >= 0 && $0 == lengths[0] } ?? false }
        tag = AnsweredVersion.field("etag", headers)
        modified = AnsweredVersion.field("last-modified", headers)
        length = lengths.last ?? nil
    }

    static func field(_ name: String, _ headers: [(String, String)]) -> String? {
        headers.last { $0.0 == name }?.1
    }
}
