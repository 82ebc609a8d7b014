import SyncModel

/// Gives places to messages of a service that tells none, in the order in which the service brings them.
///
/// The order of a place is the message's own time, limited to the range between its neighbours; the tie distinguishes
/// messages with the same time. Times may be wrong: a message never moves because of that, nor does it move others.
/// Chunks of one history are at least a millisecond apart, so that there is room for messages between them.
enum SequencePlaces {
    /// The distance between the ties of two neighbours: there is room for 2^31 messages at one time, in each direction.
    static let step: Int64 = 1 << 32
    /// From the epoch to the end of the year 9999, in milliseconds.
    private static let times: ClosedRange<Int64> = 0...253_402_300_799_999

    /// The message's own time, limited to possible times.
    static func time(_ message: MessageRecord) -> Int64 {
        min(max(message.position.order, times.lowerBound), times.upperBound)
    }

    /// Whether an order can be the time of a message.
    static func isTime(_ order: Int64) -> Bool { times.contains(order) }

    struct Row {
        var time: Int64
        /// Its last known place.
        var held: MessagePosition?
    }

    /// Places for messages directly before `end` (`nil`: before nothing) and behind `start`. The oldest of `rows` is
    /// the first. `isEnd`: no message is older. The result is `nil` when there is no room.
    static func before(
        _ end: MessagePosition?, behind start: MessagePosition?, _ rows: [Row], isEnd: Bool
    ) -> [MessagePosition]? {
        let least = start.map { start in end.map { $0.order <= start.order } ?? false ? start.order : start.order + 1 }
            ?? Int64.min
        var places: [MessagePosition] = []
        var next = end
        for index in rows.indices.reversed() {
            if let held = rows[index].held, next.map({ held < $0 }) ?? true, least <= held.order,
                start.map({ $0 < held }) ?? true
            {
                places.append(held)
                next = held
                continue
            }
            // A single time that is much too early does not pull the older messages down.
            let other = index > 0 ? index - 1 : isEnd ? index : min(index + 1, rows.count - 1)
            let time = max(rows[index].time, rows[other].time)
            guard let place = place(below: next, least, time), start.map({ $0 < place }) ?? true else { return nil }
            places.append(place)
            next = place
        }
        return places.reversed()
    }

    private static func place(below next: MessagePosition?, _ least: Int64, _ time: Int64) -> MessagePosition? {
        guard let next else { return MessagePosition(order: max(time, least), tie: 0) }
        let order = max(min(time, next.order), least)
        if order < next.order { return MessagePosition(order: order, tie: 0) }
        let (tie, isFull) = next.tie.subtractingReportingOverflow(step)
        if !isFull { return MessagePosition(order: next.order, tie: tie) }
        return next.order > least ? MessagePosition(order: next.order - 1, tie: 0) : nil
    }

    /// Places for messages directly behind `start` (`nil`: behind nothing) and before `end`. `isApart`: the chunk that
    /// ends at `start` is another one. `isEnd`: no message is newer.
    static func behind(
        _ start: MessagePosition?, before end: MessagePosition?, _ rows: [Row], isApart: Bool = false, isEnd: Bool
    ) -> [MessagePosition]? {
        let most = end.map { end in start.map { end.order <= $0.order } ?? false ? end.order : end.order - 1 }
            ?? Int64.max
        var places: [MessagePosition] = []
        var last = start
        if isApart, let start { last = MessagePosition(order: start.order, tie: Int64.max) }
        for index in rows.indices {
            if let held = rows[index].held, last.map({ $0 < held }) ?? true, held.order <= most,
                end.map({ held < $0 }) ?? true
            {
                places.append(held)
                last = held
                continue
            }
            let other = index + 1 < rows.count ? index + 1 : isEnd ? index : max(index - 1, 0)
            let time = min(rows[index].time, rows[other].time)
            guard let place = place(above: last, most, time), end.map({ place < $0 }) ?? true else { return nil }
            places.append(place)
            last = place
        }
        return places
    }

    private static func place(above last: MessagePosition?, _ most: Int64, _ time: Int64) -> MessagePosition? {
        guard let last else { return MessagePosition(order: min(time, most), tie: 0) }
        let order = min(max(time, last.order), most)
        if order > last.order { return MessagePosition(order: order, tie: 0) }
        let (tie, isFull) = last.tie.addingReportingOverflow(step)
        if !isFull { return MessagePosition(order: last.order, tie: tie) }
        return last.order < most ? MessagePosition(order: last.order + 1, tie: 0) : nil
    }
}
