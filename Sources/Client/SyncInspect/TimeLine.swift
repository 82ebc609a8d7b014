/// The histories of all channels below each other, on one axis: where each is complete, and how much room it takes.
struct TimeLine {
    private(set) var svg = ""
    private var first = Double.infinity
    private var last = -Double.infinity
    private var y = 34.0

    /// Where the axis begins and ends, and the bars of sizes.
    private static let left = 260.0
    private static let right = 900.0
    private static let sizes = 920.0
    private static let row = 20.0

    init(_ channels: [Channel]) {
        for chunk in channels.flatMap(\.histories).flatMap(\.chunks) {
            first = min(first, Double(chunk.start.order))
            last = max(last, Double(chunk.end.order))
        }
        let rows = channels.reduce(0) { $0 + max(1, $1.histories.count) }
        let height = 60 + Double(rows) * TimeLine.row
        put("<svg viewBox=\"0 0 1100 \(Shown.fixed(height))\" width=\"1100\" role=\"img\" aria-label=\"time line\">")
        addAxis(height)
        let most = max(1, channels.map(\.bytes).max() ?? 1)
        for channel in channels { add(channel, most) }
        addLegend()
        put("</svg>")
    }

    private mutating func put(_ line: String) { svg += line + "\n" }

    /// Where an order lies on the axis.
    private func x(_ order: Int64) -> Double {
        guard last > first else { return TimeLine.left }
        return TimeLine.left + (Double(order) - first) / (last - first) * (TimeLine.right - TimeLine.left)
    }

    private mutating func addAxis(_ height: Double) {
        guard last > first else { return }
        for tick in 0...3 {
            let share = Double(tick) / 3
            let x = Shown.fixed(TimeLine.left + share * (TimeLine.right - TimeLine.left))
            // Beyond this, no number of the file can be a time.
            let order = min(max(first + share * (last - first), -9e18), 9e18)
            let anchor = tick == 0 ? "start" : tick == 3 ? "end" : "middle"
            let label = String(Shown.time(Int64(order)).prefix(16))
            put("<line class=\"axis\" x1=\"\(x)\" x2=\"\(x)\" y1=\"20\" y2=\"\(Shown.fixed(height - 26))\"/>")
            put("<text class=\"faint\" text-anchor=\"\(anchor)\" x=\"\(x)\" y=\"14\">\(label)</text>")
        }
    }

    private mutating func add(_ channel: Channel, _ most: Int64) {
        let width = Shown.fixed(Double(max(0, channel.bytes)) / Double(most) * 60)
        put("<rect class=\"size\" x=\"\(Shown.fixed(TimeLine.sizes))\" y=\"\(Shown.fixed(y - 5))\" width=\"\(width)\""
            + " height=\"10\"/>")
        put("<text x=\"\(Shown.fixed(TimeLine.sizes + 66))\" y=\"\(Shown.fixed(y + 4))\">\(Shown.size(channel.bytes)), "
            + "\(channel.messages)</text>")
        for history in channel.histories {
            let label = Shown.text(history.parentID == nil ? channel.title : "  ↳ \(history.title)", most: 38)
            put("<text x=\"0\" y=\"\(Shown.fixed(y + 4))\">\(Shown.escaped(label))"
                + "<title>\(Shown.escaped(history.summary))</title></text>")
            put("<line class=\"hole\" x1=\"\(Shown.fixed(TimeLine.left))\" x2=\"\(Shown.fixed(TimeLine.right))\""
                + " y1=\"\(Shown.fixed(y))\" y2=\"\(Shown.fixed(y))\"/>")
            for chunk in history.chunks { add(chunk) }
            y += TimeLine.row
        }
    }

    private mutating func add(_ chunk: Chunk) {
        let (start, end) = (x(chunk.start.order), x(chunk.end.order))
        put("<rect class=\"chunk\" x=\"\(Shown.fixed(start))\" y=\"\(Shown.fixed(y - 5))\""
            + " width=\"\(Shown.fixed(max(3, end - start)))\" height=\"10\">"
            + "<title>\(Shown.escaped(chunk.summary))</title></rect>")
        if chunk.reachedFirst {
            put("<line class=\"first\" x1=\"\(Shown.fixed(start))\" x2=\"\(Shown.fixed(start))\""
                + " y1=\"\(Shown.fixed(y - 8))\" y2=\"\(Shown.fixed(y + 8))\"/>")
        }
        if chunk.isOpenEnded {
            let tip = max(end, start + 3)
            put("<path class=\"open\" d=\"M\(Shown.fixed(tip)) \(Shown.fixed(y - 7))"
                + "L\(Shown.fixed(tip + 8)) \(Shown.fixed(y))L\(Shown.fixed(tip)) \(Shown.fixed(y + 7))Z\"/>")
        }
        for (token, edge) in [(chunk.startToken, start), (chunk.endToken, end)] where !token.isEmpty {
            put("<circle class=\"token\" cx=\"\(Shown.fixed(edge))\" cy=\"\(Shown.fixed(y))\" r=\"4\">"
                + "<title>\(Shown.escaped(token))</title></circle>")
        }
    }

    private mutating func addLegend() {
        put("""
            <g transform="translate(260 \(Shown.fixed(y + 6)))">
            <rect class="chunk" y="-5" width="20" height="10"/><text x="26" y="4">chunk: all messages are cached</text>
            <line class="hole" x1="230" x2="255" y1="0" y2="0"/><text x="261" y="4">hole</text>
            <line class="first" x1="310" x2="310" y1="-8" y2="8"/><text x="317" y="4">first message</text>
            <path class="open" d="M420 -7l8 7l-8 7Z"/><text x="434" y="4">open end</text>
            <circle class="token" cx="510" r="4"/><text x="520" y="4">edge with a token</text></g>
            """)
    }
}
