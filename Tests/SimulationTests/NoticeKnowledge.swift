import SyncModel
import SyncStore
import TestSupport

@testable import SyncEngine

/// What the simulation remembers of messages of others that the host was told of. Its choices are its own, so that
/// seeds do what they did.
struct NoticeKnowledge {
    var random: SeededGenerator
    /// By the event's id: which message it was, and which channel and membership it belonged to then.
    var events: [Int64: (messageID: String, url: String, place: String)] = [:]
    /// By the message: the event's id, told by the engine first.
    var ids: [String: Int64] = [:]
    /// Messages that the host has taken out of its queue, and before which of them something was said to be missing.
    var taken: Set<String> = []
    var missing: Set<String> = []
    /// The last that was told in this process, and since the host lost events.
    var last: Int64 = 0
    /// The host is done with all up to this one, and wants to say so of the other.
    var acknowledged: Int64 = 0
    var toAcknowledge: Int64?
    /// How many times the socket told that this user is in a channel no more.
    var left: [String: Int] = [:]
    /// Which membership of a channel the service says it is, at that version of the service: many messages are told
    /// between two changes.
    var memberships: [String: (version: Int, text: String)] = [:]
    /// Messages whose time the service changed.
    var moved: Set<Int64> = []

    init(seed: UInt64) { random = SeededGenerator(seed: seed &* 17 &+ 3) }

    /// What is told now begins with the oldest.
    mutating func beginsAgain() { last = 0 }
}
