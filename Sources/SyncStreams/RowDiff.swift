/// What one batch did to one section. Replayed: take out what is deleted and what moved at the old places, put in what
/// is added and what moved at the new places in ascending order, then replace what changed.
struct RowDiff {
    struct Entry {
        /// The place before the batch, of deleted and moved rows.
        var from = 0
        /// The place after the batch, of all others.
        var index = 0
        var row: StreamRow
    }

    /// Ascending by the old place.
    var deleted: [Entry] = []
    /// These ascend by the new place. A row that moved may have changed as well.
    var added: [Entry] = []
    var moved: [Entry] = []
    var changed: [Entry] = []

    var isEmpty: Bool { deleted.isEmpty && added.isEmpty && moved.isEmpty && changed.isEmpty }
}
