import SyncModel

/// Reads server-sent events from a body that comes in pieces: lines end with LF, CR or both, the fields `event` and
/// `data` are used, comments and other fields are ignored.
struct EventStreamParser {
    struct Frame: Equatable {
        let name: String
        /// The lines of data, joined by LF.
        let data: [UInt8]
    }

    /// A frame is longer than the limit: the body is not an event stream, or its event is too large for memory.
    struct TooLong: Error {}

    private let limit: Int
    private var line: [UInt8] = []
    private var name: [UInt8] = []
    private var data: [UInt8]?
    private var isBehindReturn = false

    init(limit: Int = TransportRequest.answerLimit) { self.limit = limit }

    /// The bytes of the frame that is not complete.
    var heldBytes: Int { line.count + name.count + (data?.count ?? 0) }

    /// The frames that are complete with these bytes.
    mutating func feed(_ bytes: [UInt8]) throws(TooLong) -> [Frame] {
        var frames: [Frame] = []
        var rest = bytes[...]
        while let first = rest.first {
            if isBehindReturn {
                isBehindReturn = false
                if first == UInt8(ascii: "\n") {
                    rest = rest.dropFirst()
                    continue
                }
            }
            let end = rest.firstIndex { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
            line += rest[..<(end ?? rest.endIndex)]
            guard heldBytes <= limit else { throw TooLong() }
            guard let end else { break }
            isBehindReturn = rest[end] == UInt8(ascii: "\r")
            rest = rest[(end + 1)...]
            if let frame = takeLine() { frames.append(frame) }
        }
        return frames
    }

    /// Takes a whole line; an empty one ends a frame. A frame without data is ignored.
    private mutating func takeLine() -> Frame? {
        defer { line = [] }
        guard !line.isEmpty else {
            defer {
                name = []
                data = nil
            }
            return data.map { Frame(name: String(decoding: name, as: UTF8.self), data: $0) }
        }
        let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
        var value = line[colon...].dropFirst()
        if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
        switch String(decoding: line[..<colon], as: UTF8.self) {
        case "event": name = Array(value)
        case "data":
            if data == nil {
                data = Array(value)
            } else {
                data?.append(UInt8(ascii: "\n"))
                data? += value
            }
        default: break
        }
        return nil
    }
}
