import SyncModel
import SyncStore

/// What is still to be uploaded for a message with files.
struct FileState: Equatable {
    /// The next file; `nil` when the service has all of them.
    let next: Int?
    /// Whether later messages wait until this one is sent.
    let waits: Bool

    /// `nil` for a message without files, or one that the host sends.
    init?(_ intent: Intent) {
        guard !intent.isHostSent, intent.status != .accepted, let document = FileDocument(intent.body) else {
            return nil
        }
        next = document.next
        waits = document.waits
    }
}
