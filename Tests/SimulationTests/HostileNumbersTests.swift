import Foundation
import XCTest

/// Numbers at the edges of their range from the service to the device and from the device to the service, in the midst
/// of all that the simulation does: nothing traps and nothing goes round for ever. What is shown is of no interest: the
/// service lies.
///
/// A trap ends the process; the run's number stands before it in the output, and `SM_HOSTILE=17` repeats it alone.
final class HostileNumbersTests: XCTestCase {
    func testNothingTraps() throws {
        let environment = ProcessInfo.processInfo.environment
        let only = environment["SM_HOSTILE"].flatMap(UInt64.init)
        let times: UInt64 = environment["SM_LONG"] == nil ? 1 : 9
        var replaced: [String: Int] = [:]
        for run in only.map({ $0...$0 }) ?? 0...(HostileNumbers.runs * times - 1) {
            // Not buffered: the process may end at any time.
            FileHandle.standardError.write(Data("hostile numbers: run \(run)\n".utf8))
            let simulation = try Simulation(seed: run + 1, isRecording: false)
            defer { simulation.remove() }
            replaced.merge(simulation.run(steps: 120, among: HostileNumbers(run: run)), uniquingKeysWith: +)
        }
        guard only == nil else { return }
        // Those that most depends on are among them.
        let names = """
            created_at updated_at message_id msg_id ts login_ts unread_message_count message_ts prev_limit sts
            ping_interval end_at
            """
        for name in names.split(whereSeparator: \.isWhitespace) {
            XCTAssertGreaterThan(replaced[String(name)] ?? 0, 0, String(name))
        }
        XCTAssertGreaterThan(replaced.count, 60, "\(replaced.keys.sorted())")
    }
}
