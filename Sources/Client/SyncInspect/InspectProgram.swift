import CLinux
import Glibc
import SyncModel
import SyncSQLite
import SyncStore

/// The program `syncmanager-inspect` as one call.
public enum InspectProgram {
    /// Reads the options and the files, and prints what was found; the result is the process's exit status.
    public static func run(_ count: Int32, _ words: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Int32 {
        switch InspectOptions.parse(count, words) {
        case .help:
            _ = shim_write_stdout(InspectOptions.usage)
            return 0
        case .wrong(let why):
            _ = shim_write_stderr(why + InspectOptions.usage)
            return 2
        case .options(let options):
            return show(options)
        }
    }

    private static func show(_ options: InspectOptions) -> Int32 {
        let findings = Findings()
        if options.isExport {
            export(options, findings)
        } else if let report = report(options, findings) {
            let page = options.isHTML ? HTMLPage(report).text : TextPage(report).text
            if !print(page) { findings.add("standard output: \(String(cString: strerror(errno)))") }
        }
        for line in findings.lines { _ = shim_write_stderr("syncmanager-inspect: \(line)\n") }
        if findings.leftOff > 0 { _ = shim_write_stderr("syncmanager-inspect: and \(findings.leftOff) more\n") }
        return findings.isEmpty ? 0 : 1
    }

    /// Prints what is cached, a few messages at a time. After a failure the last line is missing.
    private static func export(_ options: InspectOptions, _ findings: Findings) {
        let files = UserFiles(options.directory, keyFile: options.keyFile, findings)
        guard let file = files?.open(.cache, findings) else { return }
        findings.attempt("cache.db") { () throws(StoreError) in
            let channel = options.channel.map { ChannelURL($0) }
            let cache = CacheStore(reading: file.connection)
            var walk = ExportWalk(channel: channel)
            guard let messages = try walk.total(cache) else {
                return findings.add("nothing of the channel \(options.channel ?? "") is cached")
            }
            var lines: [UInt8]? = walk.head(user: nil, at: now, messages: messages)
            while let next = lines, print(next) { lines = try walk.next(limit: exportedAtOnce, cache) }
            if lines != nil || !print(walk.end) {
                findings.add("standard output: \(String(cString: strerror(errno)))")
            }
        }
    }

    private static let exportedAtOnce = 100

    /// Milliseconds since the epoch.
    private static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }

    /// Whether all of a text was written.
    private static func print(_ text: String) -> Bool { print(Array(text.utf8)) }

    private static func print(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            if count < 0, errno != EINTR { return false }
            rest = rest.dropFirst(max(0, count))
        }
        return true
    }

    private static func report(_ options: InspectOptions, _ findings: Findings) -> Report? {
        guard let files = UserFiles(options.directory, keyFile: options.keyFile, findings) else { return nil }
        var report = Report(directory: files.directory)
        report.limit = options.maxCacheMB.map { $0 << 20 }
        let begun = report
        let withIntents = files.read(.intents, findings) { file, findings in
            var report = begun
            IntentsReader(file, showsTexts: options.showsTexts, findings).read(into: &report)
            return report
        }
        report = withIntents ?? report
        let withoutCache = report
        let withCache = files.read(.cache, findings) { file, findings in
            var report = withoutCache
            CacheReader(file, options, findings).read(into: &report)
            return report
        }
        report = withCache ?? report
        report.listings.append(files.listing())
        report.damage = findings.lines + (findings.leftOff > 0 ? ["and \(findings.leftOff) more"] : [])
        return report
    }
}
