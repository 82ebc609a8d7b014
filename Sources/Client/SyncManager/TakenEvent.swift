import SyncEngine
import SyncModel

/// An event that was taken out of the buffer, and counts as delivered.
struct TakenEvent {
    let output: HostOutput
    /// When the engine made it, in milliseconds since the epoch.
    let time: Int64
    /// Counts from 1 without gaps.
    let sequence: Int64
    /// `nil` when it belongs to no collection.
    let collection: CollectionID?
    /// The rows that a `clear` removed from the delivered lists. They are kept until the event has been used, so that
    /// no lock is held while many elements are freed.
    let cleared: [DeliveredLists.Row]
}
