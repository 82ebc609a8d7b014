import SyncThreads
import SyncWebSocket

/// Bounds the requests of one owner to one server that are in flight at once; the others wait, in order.
///
/// With HTTP/1 each request in flight has a connection of its own. With thousands of them the system runs short of
/// ports, servers refuse more, and libcurl's time for each grows with their number, so answers and the end of the
/// client would be late. A waiting request costs no connection and no handle.
struct RequestLanes {
    /// How many are in flight at once.
    static let width = 64
    /// How many requests that send a file, and how many that receive one, are in flight at once: these may take hours,
    /// and nothing else is to wait behind them.
    static let fileWidth = 16

    struct Lane: Hashable {
        enum Load { case plain, sentFile, receivedFile }

        let owner: ObjectIdentifier
        let load: Load
        /// Scheme, host and port, as they are written.
        let server: Substring.UTF8View

        init(_ request: HTTPRequest, for intake: Intake) {
            owner = ObjectIdentifier(intake)
            load =
                switch request.file {
                case nil: .plain
                case .sent: .sentFile
                case .received: .receivedFile
                }
            let url = request.url.utf8
            var slashes = 0
            server = url.prefix { byte in
                if byte == UInt8(ascii: "/") { slashes += 1 }
                return slashes < 3 && byte != UInt8(ascii: "?") && byte != UInt8(ascii: "#")
            }
        }

        static func == (first: Lane, second: Lane) -> Bool {
            first.owner == second.owner && first.load == second.load && first.server.elementsEqual(second.server)
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(owner)
            hasher.combine(load)
            for byte in server { hasher.combine(byte) }
        }
    }

    private struct Waiting {
        let command: NetworkCommand
        let deadline: Int64
    }

    private struct Line {
        var running = 0
        /// May have ids of requests that were cancelled.
        var ids: ArraySlice<UInt64> = []
    }

    private var lines: [Lane: Line] = [:]
    private var waiting: [UInt64: Waiting] = [:]

    /// Whether a request may begin; it then counts as in flight. Otherwise it is kept until `next` gives it.
    mutating func admit(_ id: UInt64, _ command: NetworkCommand, _ request: HTTPRequest, to lane: Lane) -> Bool {
        let width = lane.load == .plain ? RequestLanes.width : RequestLanes.fileWidth
        if lines[lane, default: Line()].running < width {
            lines[lane, default: Line()].running += 1
            return true
        }
        waiting[id] = Waiting(command: command, deadline: Clock.monotonic &+ Clock.clamped(request.timeoutMS))
        lines[lane, default: Line()].ids.append(id)
        return false
    }

    /// A request has ended. Gives the next one that begins, and its deadline.
    mutating func next(in lane: Lane) -> (command: NetworkCommand, deadline: Int64)? {
        while let id = lines[lane]?.ids.popFirst() {
            if let next = waiting.removeValue(forKey: id) { return (next.command, next.deadline) }
        }
        lines[lane]?.running -= 1
        if lines[lane]?.running == 0 { lines[lane] = nil }
        return nil
    }

    /// Removes a request that has not begun.
    mutating func remove(_ id: UInt64) -> NetworkCommand? { waiting.removeValue(forKey: id)?.command }

    mutating func removeAll() -> [NetworkCommand] {
        defer { (lines, waiting) = ([:], [:]) }
        return waiting.values.map(\.command)
    }

    /// Removes requests that have waited too long. One that waits after a request with a later deadline is found only
    /// when that one has gone.
    mutating func takeLate(now: Int64) -> [NetworkCommand] {
        var late: [NetworkCommand] = []
        if waiting.isEmpty { return late }
        for lane in Array(lines.keys) {
            while let id = lines[lane]?.ids.first {
                if let first = waiting[id] {
                    guard first.deadline <= now else { break }
                    late.append(first.command)
                    waiting[id] = nil
                }
                lines[lane]?.ids.removeFirst()
            }
        }
        return late
    }

    /// The next deadline of a waiting request. Valid right after `takeLate`.
    var nextDeadline: Int64 {
        if waiting.isEmpty { return Int64.max }
        return lines.values.reduce(Int64.max) { due, line in
            min(due, line.ids.first.flatMap { waiting[$0]?.deadline } ?? Int64.max)
        }
    }
}
