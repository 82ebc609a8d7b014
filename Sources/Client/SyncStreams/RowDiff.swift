/// What one batch did to one section. Replayed: take out what is deleted and what moved at the old places, put in what
/// is added and what moved at the new places in ascending order, then replace what changed.
///
/// What is shown afterwards is told by its place only: in a long list every copy of a row costs a look at cold memory.
struct RowDiff {
    struct Gone {
        /// The place before the batch.
        var from: Int
        var row: StreamRow
    }

    /// Ascending by the old place.
    var deleted: [Gone] = []
    /// New places, ascending.
    var added: [Int] = []
    /// Ascending by the new place. A row that moved may have changed as well.
    var moved: [(from: Int, index: Int)] = []
    /// Places of rows that stand where they stood, ascending.
    var changed: [Int] = []
}
