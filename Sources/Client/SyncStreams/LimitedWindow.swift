import SyncBytes
import SyncModel

/// The rows of one section: as many as the limit allows are shown. The others wait behind them, and are shown when rows
/// before them go.
///
/// A batch of k changes costs k·log n, and one pass over the list when they are many.
struct LimitedWindow {
    private(set) var shown = Window<StreamRow>()
    private var beyond = Window<StreamRow>()

    /// Whether the row at a place is shown, and does not wait.
    func isShown(_ place: StreamPlace) -> Bool { beyond.first.map { place < $0.place } ?? true }

    /// Applies updates of rows, at most one for each: `old` is the row as it is in the window, `new` as it is to be;
    /// `nil` when it is not in it. At most `limit` rows are shown afterwards.
    mutating func apply(_ updates: [(old: StreamRow?, new: StreamRow?)], limit: Int) -> RowDiff {
        var batch = Batch()
        for (old, new) in updates { take(old, new, &batch) }
        batch.removed.sort { $0.from < $1.from }
        _ = shown.remove(at: batch.removed.map(\.from))
        batch.gone.sort()
        _ = beyond.remove(at: batch.gone)
        insert(&batch)
        balance(limit, &batch)
        return diff(batch)
    }

    /// The parts of a batch while it is applied.
    private struct Batch {
        /// Rows taken out of what was shown, with their places there.
        var removed: [RowDiff.Gone] = []
        /// Places of rows that waited and are removed.
        var gone: [Int] = []
        /// Rows to be put in, shown or not.
        var new: [StreamRow] = []
        /// Places of rows that have another content and stay where they are.
        var updated: [StreamPlace] = []
        /// The places, ascending, of new rows and of rows that waited, as far as these are shown now.
        var inserted: [Int] = []
        /// Rows that did not change but are beyond the limit now, with their old places.
        var pushedOut: [RowDiff.Gone] = []

        /// The old place of the row that is the `index`th of those that did not change.
        func oldPlace(ofKept index: Int) -> Int {
            var low = 0
            var high = removed.count
            while low < high {
                let middle = (low + high) / 2
                if removed[middle].from - middle <= index { low = middle + 1 } else { high = middle }
            }
            return index + low
        }
    }

    private mutating func take(_ old: StreamRow?, _ new: StreamRow?, _ batch: inout Batch) {
        if let old {
            let stays = new?.place == old.place
            if isShown(old.place) {
                guard let index = shown.index(at: old.place) else { return }
                if stays, let new {
                    if shown.replace(new, at: index) != nil { batch.updated.append(new.place) }
                } else {
                    batch.removed.append(RowDiff.Gone(from: index, row: old))
                }
            } else {
                guard let index = beyond.index(at: old.place) else { return }
                if stays, let new { _ = beyond.replace(new, at: index) } else { batch.gone.append(index) }
            }
            if stays { return }
        }
        if let new { batch.new.append(new) }
    }

    private mutating func insert(_ batch: inout Batch) {
        // Indexes are sorted, not rows: each comparison of rows would change their reference counts, all over memory.
        let new = batch.new
        batch.new = new.indices.sorted { new[$0].place < new[$1].place }.map { new[$0] }
        if beyond.isEmpty {
            batch.inserted = shown.indices(ofInserted: batch.new)
        } else {
            let waiting = batch.new.filter { !isShown($0.place) }
            batch.inserted = shown.indices(ofInserted: batch.new.filter { isShown($0.place) })
            _ = beyond.indices(ofInserted: waiting)
        }
    }

    private mutating func balance(_ limit: Int, _ batch: inout Batch) {
        if shown.count > limit {
            let leaving = Array(shown.rows[limit...])
            for (offset, row) in leaving.enumerated().reversed() {
                if batch.inserted.last == limit + offset {
                    batch.inserted.removeLast()
                } else {
                    // `inserted.count` new rows are before it.
                    let from = batch.oldPlace(ofKept: limit + offset - batch.inserted.count)
                    batch.pushedOut.append(RowDiff.Gone(from: from, row: row))
                }
            }
            _ = shown.removeLast(leaving.count)
            _ = beyond.indices(ofInserted: leaving)
        } else if shown.count < limit, !beyond.isEmpty {
            let following = Array(beyond.rows.prefix(limit - shown.count))
            _ = beyond.removeFirst(following.count)
            batch.inserted += shown.indices(ofInserted: following)
        }
    }

    private func diff(_ batch: Batch) -> RowDiff {
        var diff = RowDiff()
        diff.changed = batch.updated.compactMap { shown.index(at: $0) }
        if batch.removed.isEmpty {
            diff.added = batch.inserted
        } else if batch.inserted.isEmpty {
            diff.deleted = batch.removed
        } else {
            var left: [TextKey: RowDiff.Gone] = [:]
            for entry in batch.removed { left[entry.row.id] = entry }
            let kept = shown.count - batch.inserted.count
            var lastStaying = -1
            for (count, index) in batch.inserted.enumerated() {
                guard let old = left.removeValue(forKey: shown.rows[index].id) else {
                    diff.added.append(index)
                    continue
                }
                // A row that still stands between the neighbours it had has not moved, though its place has another
                // value.
                let keptBefore = index - count
                let previous = max(lastStaying, keptBefore > 0 ? batch.oldPlace(ofKept: keptBefore - 1) : -1)
                let next = keptBefore < kept ? batch.oldPlace(ofKept: keptBefore) : Int.max
                if previous < old.from, old.from < next {
                    lastStaying = old.from
                    if old.row.json != shown.rows[index].json { diff.changed.append(index) }
                } else {
                    diff.moved.append((old.from, index))
                }
            }
            diff.deleted = Array(left.values)
        }
        diff.deleted += batch.pushedOut
        diff.deleted.sort { $0.from < $1.from }
        diff.changed.sort()
        return diff
    }
}
