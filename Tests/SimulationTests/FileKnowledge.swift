import TestSupport

/// Files of own messages: what they were when the host sent them, and which the service has; and chances of their own,
/// so that other acts stay what they were.
struct FileKnowledge {
    /// A file of a message, as it was when the message was written.
    struct File {
        /// On the device; `nil` of one that has an address only.
        let path: String?
        let address: String?
        let bytes: [UInt8]
    }

    /// By request id.
    private(set) var messages: [String: [File]] = [:]
    /// Files (paths) of which the device knows that the service has them.
    private(set) var taken: Set<String> = []
    /// How far each file (path) was told to be, in this attempt.
    private(set) var progress: [String: Int64] = [:]
    var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed &+ 3000) }

    mutating func wrote(_ requestID: String, _ files: [File]) { messages[requestID] = files }

    /// An attempt to upload it begins.
    mutating func begin(_ path: String) { progress[path] = nil }

    mutating func reached(_ done: Int64, of path: String) { progress[path] = done }

    mutating func take(_ path: String) { taken.insert(path) }
}
