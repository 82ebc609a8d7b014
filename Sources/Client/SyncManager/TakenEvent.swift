import SyncEngine
import SyncModel

/// An event that counts as delivered.
struct TakenEvent {
    let output: HostOutput
    /// When the engine told it, in milliseconds since the epoch.
    let time: Int64
    /// Counts from 1 without gaps.
    let sequence: Int64
    /// `nil` when it is of none.
    let collection: CollectionID?
    /// What a `clear` took out of the delivered lists. Kept until the event has been used, so that freeing many
    /// elements holds nobody up.
    let cleared: [DeliveredLists.Row]
}
