import SyncModel

/// The rows of one section: as many as the limit allows are shown, the others wait behind them and follow when there is
/// room again.
///
/// A batch of k changes costs k·log n, and one pass over the list when they are many.
struct LimitedWindow {
    private(set) var shown = Window<StreamRow>()
    private var beyond = Window<StreamRow>()

    /// Shown or waiting.
    mutating func contains(_ key: String) -> Bool {
        shown.index(ofID: key) != nil || beyond.index(ofID: key) != nil
    }

    mutating func row(of key: String) -> StreamRow? { shown.index(ofID: key).map { shown.rows[$0] } }

    /// Takes in what became of some rows, each once: `nil` for those that are gone or do not belong. At most `limit`
    /// rows are shown afterwards.
    mutating func apply(_ updates: [(key: TextKey, row: StreamRow?)], limit: Int) -> RowDiff {
        var batch = Batch()
        var gone: Set<TextKey> = []
        for (key, row) in updates { take(key, row, &batch, &gone) }
        batch.removed.sort { $0.from < $1.from }
        _ = shown.remove(at: batch.removed.map(\.from))
        _ = beyond.remove(ids: gone)
        batch.kept = shown.count
        insert(&batch)
        balance(limit, &batch)
        return diff(&batch)
    }

    /// What is known of a batch while it is taken in.
    private struct Batch {
        /// Rows taken out of what was shown, with their places there.
        var removed: [RowDiff.Entry] = []
        /// Rows to be put in, shown or not.
        var new: [StreamRow] = []
        /// Rows that stayed where they are.
        var updated: [StreamRow] = []
        /// How many rows that were shown were left alone.
        var kept = 0
        /// Those of the new rows, and of those that waited, that are shown now.
        var inserted: [TextKey: StreamRow] = [:]
        /// Rows left alone that the limit pushed out, with their old places.
        var pushedOut: [RowDiff.Entry] = []

        /// The old place of the row that is the `index`th of those left alone.
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

    private mutating func take(_ key: TextKey, _ row: StreamRow?, _ batch: inout Batch, _ gone: inout Set<TextKey>) {
        if let index = shown.index(ofID: key.text) {
            let old = shown.rows[index]
            if let row, row.place == old.place {
                if shown.put(row) != nil { batch.updated.append(row) }
                return
            }
            batch.removed.append(RowDiff.Entry(from: index, row: old))
        } else if let index = beyond.index(ofID: key.text) {
            if let row, row.place == beyond.rows[index].place {
                _ = beyond.put(row)
                return
            }
            gone.insert(key)
        }
        if let row { batch.new.append(row) }
    }

    private mutating func insert(_ batch: inout Batch) {
        let border = beyond.first?.place
        let near = batch.new.filter { row in border.map { row.place < $0 } ?? true }
        if near.count < batch.new.count {
            _ = beyond.insert(batch.new.filter { row in border.map { !(row.place < $0) } ?? false })
        }
        _ = shown.insert(near)
        for row in near { batch.inserted[TextKey(row.id)] = row }
    }

    private mutating func balance(_ limit: Int, _ batch: inout Batch) {
        let excess = shown.count - limit
        if excess > 0 {
            let leaving = Array(shown.rows.suffix(excess))
            _ = shown.removeLast(excess)
            _ = beyond.insert(leaving)
            var index = batch.kept
            for row in leaving.reversed() where batch.inserted.removeValue(forKey: TextKey(row.id)) == nil {
                index -= 1
                batch.pushedOut.append(RowDiff.Entry(from: batch.oldPlace(ofKept: index), row: row))
            }
        } else if excess < 0, !beyond.isEmpty {
            let count = min(-excess, beyond.count)
            let following = Array(beyond.rows.prefix(count))
            _ = beyond.removeFirst(count)
            _ = shown.insert(following)
            for row in following { batch.inserted[TextKey(row.id)] = row }
        }
    }

    private func diff(_ batch: inout Batch) -> RowDiff {
        var diff = RowDiff()
        var before: [TextKey: RowDiff.Entry] = [:]
        for entry in batch.removed {
            if batch.inserted[TextKey(entry.row.id)] == nil {
                diff.deleted.append(entry)
            } else {
                before[TextKey(entry.row.id)] = entry
            }
        }
        diff.deleted += batch.pushedOut
        diff.deleted.sort { $0.from < $1.from }
        for row in batch.updated {
            if let index = shown.index(at: row.place) { diff.changed.append(RowDiff.Entry(index: index, row: row)) }
        }
        var inserted: [RowDiff.Entry] = []
        for row in batch.inserted.values {
            if let index = shown.index(at: row.place) { inserted.append(RowDiff.Entry(index: index, row: row)) }
        }
        inserted.sort { $0.index < $1.index }
        let kept = shown.count - inserted.count
        var lastStaying = -1
        for (count, entry) in inserted.enumerated() {
            guard let old = before[TextKey(entry.row.id)] else {
                diff.added.append(entry)
                continue
            }
            // A row that still stands between the neighbours it had has not moved, though its place has another value.
            let keptBefore = entry.index - count
            let previous = max(lastStaying, keptBefore > 0 ? batch.oldPlace(ofKept: keptBefore - 1) : -1)
            let next = keptBefore < kept ? batch.oldPlace(ofKept: keptBefore) : Int.max
            if previous < old.from, old.from < next {
                lastStaying = old.from
                if old.row.json != entry.row.json { diff.changed.append(entry) }
            } else {
                diff.moved.append(RowDiff.Entry(from: old.from, index: entry.index, row: entry.row))
            }
        }
        diff.changed.sort { $0.index < $1.index }
        return diff
    }
}
