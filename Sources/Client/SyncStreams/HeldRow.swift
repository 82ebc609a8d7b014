import SyncBytes
import SyncModel

/// What a stream knows of one key. A stream has one dictionary of these; rows that wait and rows that are placed are
/// found through it.
final class HeldRow {
    let key: TextKey
    /// The item that the source has, whether it is shown or not. `nil` when the sources are streams.
    var item: StreamItem?
    /// The row at its place in a section, shown or waiting there; `nil` when it has no place.
    var row: StreamRow?
    /// The section of `row`.
    var section = 0
    /// Its place or content may be out of date.
    var isDirty = false

    init(_ key: TextKey) { self.key = key }
}
