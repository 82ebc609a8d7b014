/// The report as text.
struct TextPage {
    private(set) var text = ""

    init(_ report: Report) {
        line("\(Shown.text(report.directory, most: 500))")
        for (name, value) in report.facts { line("  \(name): \(value)") }
        line("  " + report.budget)
        for channel in report.channels { add(channel) }
        if report.channelsLeftOff > 0 {
            line("\n… and \(Shown.count(report.channelsLeftOff, "channel", "channels")) more")
        }
        for listing in report.listings { add(listing) }
        if !report.damage.isEmpty { line("\ndamage") }
        for finding in report.damage { line("  " + finding) }
    }

    private mutating func line(_ text: String) { self.text += text + "\n" }

    private mutating func add(_ channel: Channel) {
        line("\nchannel \(channel.title)")
        line("  " + channel.summary)
        for history in channel.histories {
            line("  \(history.summary)")
            for part in history.parts { line("    " + part) }
            for message in history.texts { line("      " + message) }
        }
        if channel.threadsLeftOff > 0 {
            line("  … and \(Shown.count(channel.threadsLeftOff, "thread", "threads")) more")
        }
    }

    private mutating func add(_ listing: Listing) {
        line("\n\(listing.title)")
        guard !listing.rows.isEmpty else { return line("  none") }
        let rows = [listing.columns] + listing.rows
        let widths = listing.columns.indices.map { column in
            min(40, rows.map { $0[column].unicodeScalars.count }.max() ?? 0)
        }
        for row in rows {
            var cells = ""
            for (cell, width) in zip(row, widths) {
                cells += "  " + cell + String(repeating: " ", count: max(0, width - cell.unicodeScalars.count))
            }
            while cells.utf8.last == UInt8(ascii: " ") { cells.unicodeScalars.removeLast() }
            line(cells)
        }
        if listing.leftOff > 0 { line("  … and \(listing.leftOff) more") }
    }
}
