/// What one batch did to one section. To replay it, take out what is deleted and what moved at the old places, put in
/// what is added and what moved at the new places in ascending order, then replace what changed.
///
/// Rows that are shown afterwards are given by their index only: in a long list every copy of a row reads memory that
/// is not in the processor's cache.
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
    /// Places of rows that changed and did not move, ascending.
    var changed: [Int] = []
}
