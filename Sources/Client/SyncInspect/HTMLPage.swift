/// The report as one page that needs nothing from elsewhere and runs nothing.
struct HTMLPage {
    private(set) var text = ""

    private static let style = """
        body { font: 14px/1.45 system-ui, sans-serif; margin: 2em auto; max-width: 76em; padding: 0 1em }
        body, svg text { color: #1d2430; fill: #1d2430 }
        h1 { font-size: 1.3em; overflow-wrap: anywhere } h2 { font-size: 1.1em; margin: 1.6em 0 .4em }
        table { border-collapse: collapse }
        td, th { text-align: left; padding: .15em 1.2em .15em 0; vertical-align: top }
        th { color: #5a6577; font-weight: 600 } td, li, summary { overflow-wrap: anywhere }
        svg { max-width: 100%; height: auto } svg text { font-size: 12px }
        .damage { color: #a11 } .hole { stroke: #b9c1ce; stroke-dasharray: 3 4 } .chunk { fill: #3b82c4 }
        .first { stroke: #1d2430; stroke-width: 2 } .open { fill: #2a9d5c } .token { fill: #e69500 }
        .size { fill: #c4ccd9 } .full { fill: #c0392b } .faint { fill: #5a6577 } .axis { stroke: #e3e7ee }
        """

    init(_ report: Report) {
        put("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">")
        put("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">")
        put("<title>syncmanager-inspect</title><style>\n\(HTMLPage.style)\n</style></head><body>")
        put("<h1>\(escaped(Shown.text(report.directory, most: 500)))</h1>")
        if !report.damage.isEmpty {
            put("<h2 class=\"damage\">damage</h2><ul class=\"damage\">")
            for finding in report.damage { put("<li>\(escaped(finding))</li>") }
            put("</ul>")
        }
        put("<table>")
        for (name, value) in report.facts { put("<tr><th>\(escaped(name))</th><td>\(escaped(value))</td></tr>") }
        put("</table>")
        put(budget(report))
        add(report.channels)
        if report.channelsLeftOff > 0 {
            put("<p>… and \(Shown.count(report.channelsLeftOff, "channel", "channels")) more</p>")
        }
        for listing in report.listings { add(listing) }
        put("</body></html>")
    }

    private mutating func put(_ line: String) { text += line + "\n" }

    private func escaped(_ text: String) -> String { Shown.escaped(text) }

    private func budget(_ report: Report) -> String {
        guard report.limit != nil else { return "<p>\(escaped(report.budget))</p>" }
        let width = Shown.fixed(min(report.share, 1) * 400)
        return """
            <p>\(escaped(report.budget))<br><svg viewBox="0 0 400 12" width="400" role="img" aria-label="budget">
            <rect class="size" width="400" height="12"/>
            <rect class="\(report.share > 1 ? "full" : "chunk")" width="\(width)" height="12"/></svg></p>
            """
    }

    private mutating func add(_ channels: [Channel]) {
        guard !channels.isEmpty else { return }
        put("<h2>channels</h2>")
        put(TimeLine(channels).svg)
        for channel in channels {
            put("<details><summary>\(escaped(channel.title)): \(escaped(channel.summary))</summary>")
            for history in channel.histories {
                put("<p>\(escaped(history.summary))</p><ul>")
                for part in history.parts { put("<li>\(escaped(part))</li>") }
                put("</ul>")
                if !history.texts.isEmpty {
                    put("<ul class=\"texts\">")
                    for message in history.texts { put("<li><code>\(escaped(message))</code></li>") }
                    put("</ul>")
                }
            }
            if channel.threadsLeftOff > 0 {
                put("<p>… and \(Shown.count(channel.threadsLeftOff, "thread", "threads")) more</p>")
            }
            put("</details>")
        }
    }

    private mutating func add(_ listing: Listing) {
        put("<h2>\(escaped(listing.title))</h2>")
        guard !listing.rows.isEmpty else { return put("<p>none</p>") }
        put("<table><tr>" + listing.columns.map { "<th>\(escaped($0))</th>" }.joined() + "</tr>")
        for row in listing.rows { put("<tr>" + row.map { "<td>\(escaped($0))</td>" }.joined() + "</tr>") }
        put("</table>")
        if listing.leftOff > 0 { put("<p>… and \(listing.leftOff) more</p>") }
    }
}
