/// What happens when: earliest first, and in the order of planning within one millisecond.
public struct Agenda {
    private struct Entry {
        let time: Int64
        let order: Int
        let parcel: Parcel
    }

    /// Latest first, so that the next one is taken off the end.
    private var entries: [Entry] = []
    private var order = 0

    public var nextTime: Int64? { entries.last?.time }

    /// In order, for the history of a failing seed.
    public var all: [(time: Int64, parcel: Parcel)] { entries.reversed().map { ($0.time, $0.parcel) } }

    mutating func add(_ parcel: Parcel, at time: Int64) {
        order += 1
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].time > time { low = middle + 1 } else { high = middle }
        }
        entries.insert(Entry(time: time, order: order, parcel: parcel), at: low)
    }

    mutating func takeNext() -> Parcel? { entries.popLast()?.parcel }

    mutating func remove(where isGone: (Parcel) -> Bool) { entries.removeAll { isGone($0.parcel) } }
}
