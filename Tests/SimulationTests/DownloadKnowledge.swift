import SyncModel
import TestSupport

@testable import SyncEngine

/// What the host has asked to receive, and chances of its own, so that other acts stay what they were.
struct DownloadKnowledge {
    struct Asked {
        let name: String
        let path: String
        /// Of this file to this path, before this call.
        let requests: Int
    }

    /// Of this process, by their calls.
    private(set) var open: [CallID: Asked] = [:]
    /// What was ever asked to be under a path, by their names.
    private(set) var all: [String: Set<String>] = [:]
    var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed &+ 5000) }

    mutating func ask(_ call: CallID, _ name: String, _ path: String, after requests: Int) {
        open[call] = Asked(name: name, path: path, requests: requests)
        all[path, default: []].insert(name)
    }

    mutating func end(_ call: CallID) -> Asked? { open.removeValue(forKey: call) }

    mutating func processEnded() { open = [:] }
}
