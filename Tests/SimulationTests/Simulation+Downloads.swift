import Foundation
import SyncModel
import SyncSendbird
import TestSupport

@testable import SyncEngine

/// Files are received: begun, canceled and killed at any time, and gone on with, while they change at their server.
extension Simulation {
    private var folder: String { directory.path + "/got" }

    func prepareDownloads() throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        network.downloads.seen = { [unowned self] in seen.insert($0) }
    }

    func downloadAct() {
        guard downloads.random.chance(20) else { return }
        switch downloads.random.below(20) {
        case 0..<10: download()
        case 10..<13:
            let name = downloads.random.pick(DownloadHost.names) ?? ""
            note("file \(name) changes")
            downloadHost.change(name)
        case 13..<17:
            guard let other = downloads.random.pick(downloads.open.keys.sorted()) else { return }
            cancel(other)
        case 17: if !downloads.open.isEmpty { restart() }
        default: if !downloads.open.isEmpty { cutPower() }
        }
    }

    /// Names and places are few, so that receipts meet and go on with each other's.
    private func download() {
        let name = downloads.random.pick(DownloadHost.names) ?? ""
        let path = folder + "/\(downloads.random.below(2))"
        let most = downloads.random.chance(10) ? 1 + Int64(downloads.random.below(6_000)) : nil
        ask(name, path, overwrites: downloads.random.chance(60), most: most)
    }

    private func ask(_ name: String, _ path: String, overwrites: Bool, most: Int64?) {
        let call = newCall("download_file")
        let url = DownloadHost.address + name
        downloads.ask(call, name, path, after: network.downloads.requests(for: url, path))
        var arguments: [String: ActionCall.Value] = [
            "url": .text(url), "path": .text(path), "overwrite": .flag(overwrites),
        ]
        if let most { arguments["max_bytes"] = .integer(most) }
        command(.call(call, .action(ActionCall(action: .file(.downloadFile), arguments: arguments))))
    }

    /// As a kill, and what had not reached the disk of files in part is zeros.
    private func cutPower() {
        note("the power goes")
        if partDisk.cutPower() { seen.insert("download lost by a power cut") }
        restart()
    }

    // MARK: What must hold

    /// A call for a file has ended.
    func downloadEnded(_ completion: Completion) {
        guard let asked = downloads.end(completion.call) else { return }
        do { try checkDownloads() } catch { violation = violation ?? error as? Violation }
        switch completion.status {
        case .ok:
            guard FileManager.default.fileExists(atPath: asked.path) else {
                violation = violation ?? Violation(description: "\(asked.path) was received, and is not there")
                return
            }
        case .canceled, .tooLarge: break
        default: return
        }
        if network.downloads.hasLeft(DownloadHost.address + asked.name, asked.path, after: asked.requests) {
            violation = violation ?? Violation(
                description: "of \(asked.path) something is left though its call has ended \(completion.status)")
        }
    }

    /// What stands under a name that was asked for is all of one version of the file.
    func checkDownloads() throws {
        for (path, names) in downloads.all.sorted(by: { $0.key < $1.key }) {
            guard let content = FileManager.default.contents(atPath: path).map({ [UInt8]($0) }) else { continue }
            let versions = names.flatMap { downloadHost.versions[$0] ?? [] }
            guard versions.contains(where: { $0.bytes == content }) else {
                throw Violation(description: "\(path) has \(content.count) bytes that no version of \(names) has")
            }
        }
    }

    /// Whatever is there in part, the file is received as it is now, by the second call at the latest: a server that
    /// has lied about the length is not believed when it says another one, and what is there of that is dropped.
    func convergeDownloads() throws {
        downloadHost.isFaulty = false
        for (path, names) in downloads.all.sorted(by: { $0.key < $1.key }) {
            for name in names.sorted() {
                guard try received(name, path) || received(name, path) else {
                    let result = String(describing: results[.host(lastCall)])
                    throw Violation(description: "\(path) is not received: \(result)")
                }
                let content = FileManager.default.contents(atPath: path).map { [UInt8]($0) }
                guard content == downloadHost.content(name) else {
                    throw Violation(description: "\(path) is not what \(name) is now")
                }
                seen.insert("download converged")
            }
        }
    }

    private func received(_ name: String, _ path: String) throws -> Bool {
        // A connection that ends by itself meanwhile says nothing about the file.
        for _ in 0..<3 {
            for _ in 0..<60 where !isConnected { try advance(1_000) }
            ask(name, path, overwrites: true, most: nil)
            let call = CallID.host(lastCall)
            for _ in 0..<60 where results[call] == nil { try advance(1_000) }
            if results[call]?.status == .ok { return true }
            guard results[call]?.failure?.message == SendbirdRules().failure(.connectionClosed).message else { break }
        }
        return false
    }
}
