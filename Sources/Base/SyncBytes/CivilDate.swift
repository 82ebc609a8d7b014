/// A day of the calendar, as days since 1970-01-01 (proleptic Gregorian, UTC).
public struct CivilDate: Equatable, Sendable {
    public let year: Int64
    public let monthOfYear: Int64
    public let day: Int64

    /// From YYYY-MM-DD; `nil` when it is no date.
    public init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        // `Int64` accepts a plus sign before a number; a date must not have one.
        guard !text.utf8.contains(UInt8(ascii: "+")), parts.count == 3, parts[0].utf8.count == 4,
            parts[1].utf8.count == 2, parts[2].utf8.count == 2, let year = Int64(parts[0]),
            let month = Int64(parts[1]), let day = Int64(parts[2]), year > 0, (1...12).contains(month),
            (1...31).contains(day)
        else { return nil }
        self.year = year
        monthOfYear = month
        self.day = day
        guard CivilDate(daysSinceEpoch: daysSinceEpoch).day == day else { return nil }
    }

    private init(_ year: Int64, _ month: Int64, _ day: Int64) {
        self.year = year
        monthOfYear = month
        self.day = day
    }

    public init(daysSinceEpoch days: Int64) {
        // Years begin in March here, so that the leap day is the last of them.
        let shifted = days &+ 719_468
        let era = (shifted >= 0 ? shifted : shifted &- 146_096) / 146_097
        let ofEra = shifted &- era &* 146_097
        let yearOfEra = (ofEra - ofEra / 1460 + ofEra / 36_524 - ofEra / 146_096) / 365
        let ofYear = ofEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * ofYear + 2) / 153
        day = ofYear - (153 * shiftedMonth + 2) / 5 + 1
        monthOfYear = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        year = yearOfEra &+ era &* 400 &+ (monthOfYear <= 2 ? 1 : 0)
    }

    public var daysSinceEpoch: Int64 {
        let shiftedYear = monthOfYear <= 2 ? year - 1 : year
        let era = shiftedYear / 400
        let yearOfEra = shiftedYear - era * 400
        let shiftedMonth = monthOfYear > 2 ? monthOfYear - 3 : monthOfYear + 9
        let ofYear = (153 * shiftedMonth + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + ofYear - 719_468
    }

    /// The days of the date's month.
    public var wholeMonth: ClosedRange<Int64> {
        let first = CivilDate(year, monthOfYear, 1).daysSinceEpoch
        let next = monthOfYear == 12 ? CivilDate(year + 1, 1, 1) : CivilDate(year, monthOfYear + 1, 1)
        return first...(next.daysSinceEpoch - 1)
    }
}
