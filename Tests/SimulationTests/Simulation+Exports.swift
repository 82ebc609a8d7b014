import SyncJSON
import SyncModel
import TestSupport

@testable import SyncEngine

/// Exports that the host waits for, and chances of its own, so that other acts stay what they were.
struct ExportKnowledge {
    var random: SeededGenerator
    var waiting: [(call: CallID, path: String, process: Int)] = []
    var count = 0
    /// Where several exports write.
    static let shared = "/exports/0"

    init(seed: UInt64) { random = SeededGenerator(seed: seed &* 31 &+ 7) }
}

/// The cache is written to a file while everything else goes on.
extension Simulation {
    func exportAct() {
        checkExports()
        guard exports.random.chance(1) else { return }
        exports.count += 1
        let path = exports.random.chance(20) ? ExportKnowledge.shared : "/exports/\(exports.count)"
        var arguments: [String: ActionCall.Value] = ["path": .text(path)]
        if exports.random.chance(40), let url = exports.random.pick(knowledge.urls) {
            arguments["channel_url"] = .text(url)
        }
        if exports.random.chance(50) { arguments["overwrite"] = .flag(true) }
        let call = newCall("export")
        exports.waiting.append((call, path, processNumber))
        command(.call(call, .action(ActionCall(action: .library(.export), arguments: arguments))))
        if exports.random.chance(10) { return cancelExport(call) }
        if exports.random.chance(40) { plan(.cancelExport(call), in: 1 + exports.random.below(30)) }
    }

    func cancelExport(_ call: CallID) {
        guard exports.waiting.contains(where: { $0.call == call && $0.process == processNumber }) else { return }
        let cancel = ActionCall(action: .library(.cancel), arguments: ["request": .integer(Int64(call.number))])
        command(.call(newCall("cancel"), .action(cancel)))
    }

    /// Those that are done have a whole file, the others none.
    func checkExports() {
        for (call, path, process) in exports.waiting {
            guard let result = results[call] else { continue }
            let allowed: [Status] = [.ok, .canceled, .closed, .notFound, .invalidArgument, .storage]
            if !allowed.contains(result.status) {
                violation = violation ?? Violation(description: "an export ended with \(result.status)")
            }
            guard result.status == .ok else {
                guard path != ExportKnowledge.shared, disk.all[path] != nil else { continue }
                violation = violation ?? Violation(
                    description: "\(path) is there, and its export says \(result.status)")
                continue
            }
            seen.insert("exported")
            guard let bytes = disk.all[path]?.bytes else {
                violation = violation ?? Violation(description: "\(path) was exported, and is not there")
                continue
            }
            // A later one may have written over it.
            let isLatest = exports.waiting.last { $0.path == path }?.call == call && process == processNumber
            if let fault = ExportFile(bytes).fault(result: isLatest ? result.result : nil) {
                violation = violation ?? Violation(description: "\(path): \(fault)")
            }
        }
        exports.waiting.removeAll { results[$0.call] != nil || $0.process != processNumber }
    }
}

/// An export as a program reads it that knows only docs/export.md.
private struct ExportFile {
    private let lines: [JSON?]

    init(_ bytes: [UInt8]) {
        lines = bytes.split(separator: UInt8(ascii: "\n")).map { try? JSON.parse([UInt8]($0)) }
    }

    func fault(result: [UInt8]?) -> String? {
        guard lines.first??["type"]?.string == "export", let end = lines.last ?? nil, end["type"]?.string == "end"
        else { return "it is not whole" }
        var place: String?
        var last: (time: Int64, id: Int64)?
        var counts = (channels: Int64(0), messages: Int64(0))
        for line in lines.dropFirst().dropLast() {
            guard let line, let type = line["type"]?.string, let url = line["channel_url"]?.string else {
                return "a line is no object with a type and a channel"
            }
            let here = url + "/" + (line["thread"]?.string ?? "")
            switch type {
            case "channel", "thread":
                (place, last) = (here, nil)
                if type == "channel" { counts.channels += 1 }
            case "gap":
                if place != here { return "a gap of \(here) in \(place ?? "nothing")" }
            case "message":
                if place != here { return "a message of \(here) in \(place ?? "nothing")" }
                counts.messages += 1
                guard let time = line["message"]?["created_at"]?.int, let id = line["message"]?["message_id"]?.int
                else { return "a message without its time or id" }
                if let last, (time, id) <= last { return "\(id) stands behind \(last.id)" }
                last = (time, id)
            default: return "a line of type \(type)"
            }
        }
        let said = (channels: end["channels"]?.int, messages: end["messages"]?.int)
        if said != counts { return "it says \(said), and has \(counts)" }
        guard let result, let told = try? JSON.parse(result) else { return nil }
        if told["messages"]?.int != counts.messages { return "the call told \(told)" }
        return nil
    }
}
