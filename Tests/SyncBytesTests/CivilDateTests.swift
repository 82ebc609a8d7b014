import SyncBytes
import XCTest

final class CivilDateTests: XCTestCase {
    func testDaysAreCountedFromTheEpoch() {
        let days = [
            "1970-01-01": 0, "1969-12-31": -1, "2000-02-29": 11_016, "2024-03-01": 19_783, "0001-01-01": -719_162,
        ]
        for (text, number) in days {
            XCTAssertEqual(CivilDate(text)?.daysSinceEpoch, Int64(number), text)
            XCTAssertEqual(CivilDate(daysSinceEpoch: Int64(number)), CivilDate(text), text)
        }
    }

    func testEachDayFollowsTheOneBefore() {
        var last = CivilDate(daysSinceEpoch: -150_000)
        for number in Int64(-149_999)...150_000 {
            let date = CivilDate(daysSinceEpoch: number)
            XCTAssertEqual(date.daysSinceEpoch, number)
            let isNext = date.year == last.year && date.monthOfYear == last.monthOfYear && date.day == last.day + 1
            let isFirst = date.day == 1 && last.wholeMonth.upperBound == number - 1
            guard isNext || isFirst else { return XCTFail("\(date) after \(last)") }
            last = date
        }
    }

    func testWhatIsNoDateIsRefused() {
        for text in [
            "2023-02-29", "1900-02-29", "2024-13-01", "2024-00-01", "2024-01-00", "2024-04-31", "24-01-01", "2024-1-01",
            "2024-01-01-", "", "0000-01-01", "-001-01-01", "2024-01-+1",
        ] { XCTAssertNil(CivilDate(text), text) }
    }

    func testAMonthHasItsDays() {
        XCTAssertEqual(CivilDate("2024-02-17")?.wholeMonth, 19_754...19_782)
        XCTAssertEqual(CivilDate("1970-12-31")?.wholeMonth, 334...364)
    }
}
