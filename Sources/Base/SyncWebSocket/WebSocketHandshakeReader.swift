/// The client's reader of the server's handshake answer: takes bytes as they come, judges the head once it is whole.
public struct WebSocketHandshakeReader {
    /// What is known after the bytes so far.
    public enum Outcome: Equatable, Sendable {
        /// The head is not complete.
        case incomplete
        /// The connection is a WebSocket. `rest` are the first bytes for the codec, which came with the head.
        case accepted(rest: [UInt8])
        /// A proper HTTP answer other than 101.
        case refused(status: Int)
        /// Not an answer that RFC 6455 accepts; why, in one line.
        case invalid(String)
    }

    /// The largest head that is read. Servers send a few hundred bytes; cookies and proxies may add some.
    public static let headLimit = 32 << 10

    private let key: String
    private var head: [UInt8] = []
    private var searched = 0

    /// Makes a reader for the answer to a request with this key.
    public init(key: String) { self.key = key }

    /// Takes more bytes. After an outcome other than `incomplete` the reader is done.
    public mutating func receive(_ bytes: UnsafeRawBufferPointer) -> Outcome {
        head.append(contentsOf: bytes)
        // A head ends with an empty line; look again only where it can be new.
        var index = max(searched - 3, 0)
        while index + 4 <= head.count, index + 4 <= Self.headLimit {
            if head[index] == 13, head[index + 1] == 10, head[index + 2] == 13, head[index + 3] == 10 {
                return judge(head[..<(index + 2)], rest: Array(head[(index + 4)...]))
            }
            index += 1
        }
        searched = head.count
        return head.count < Self.headLimit ? .incomplete : .invalid("the answer's head is too long")
    }

    public mutating func receive(_ bytes: [UInt8]) -> Outcome {
        bytes.withUnsafeBytes { receive($0) }
    }

    private func judge(_ head: ArraySlice<UInt8>, rest: [UInt8]) -> Outcome {
        guard let lines = Self.lines(of: head), let first = lines.first else { return .invalid("broken line ends") }
        guard let status = Self.status(of: first) else { return .invalid("not an HTTP/1.1 answer") }
        var fields: [String: [ArraySlice<UInt8>]] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")), HTTPSyntax.isToken(line[..<colon]) else {
                return .invalid("malformed header")
            }
            let value = HTTPSyntax.trimmed(line[(colon + 1)...])
            guard HTTPSyntax.isFieldValue(value) else { return .invalid("malformed header") }
            fields[HTTPSyntax.lowercased(line[..<colon]), default: []].append(value)
        }
        guard status == 101 else { return .refused(status: status) }

        func tokens(_ name: String) -> [String] {
            (fields[name] ?? []).flatMap { value in
                value.split(separator: UInt8(ascii: ",")).map { HTTPSyntax.lowercased(HTTPSyntax.trimmed($0)) }
            }
        }
        guard tokens("upgrade") == ["websocket"] else { return .invalid("no upgrade to websocket") }
        guard tokens("connection").contains("upgrade") else { return .invalid("no Connection: Upgrade") }
        let accepts = fields["sec-websocket-accept"] ?? []
        guard accepts.count == 1, accepts[0].elementsEqual(WebSocketHandshake.acceptValue(forKey: key).utf8) else {
            return .invalid("wrong Sec-WebSocket-Accept")
        }
        guard tokens("sec-websocket-extensions").isEmpty else { return .invalid("an extension nobody asked for") }
        guard tokens("sec-websocket-protocol").isEmpty else { return .invalid("a subprotocol nobody asked for") }
        return .accepted(rest: rest)
    }

    /// The lines of a head, each ended by CR LF; `nil` if a CR or LF stands alone.
    private static func lines(of head: ArraySlice<UInt8>) -> [ArraySlice<UInt8>]? {
        var lines: [ArraySlice<UInt8>] = []
        var start = head.startIndex
        var index = start
        while index < head.endIndex {
            if head[index] == 10 { return nil }
            if head[index] == 13 {
                guard index + 1 < head.endIndex, head[index + 1] == 10 else { return nil }
                lines.append(head[start..<index])
                index += 1
                start = index + 1
            }
            index += 1
        }
        return start == head.endIndex ? lines : nil
    }

    /// The status code of `HTTP/1.1 101 Reason`.
    private static func status(of line: ArraySlice<UInt8>) -> Int? {
        let prefix = Array("HTTP/1.1 ".utf8)
        guard line.starts(with: prefix) else { return nil }
        let rest = line.dropFirst(prefix.count)
        let digits = rest.prefix(3)
        guard digits.count == 3, digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
            return nil
        }
        guard rest.count == 3 || rest.dropFirst(3).first == 0x20, HTTPSyntax.isFieldValue(rest) else { return nil }
        let status = digits.reduce(0) { $0 * 10 + Int($1 &- UInt8(ascii: "0")) }
        return status >= 100 ? status : nil
    }
}
