// Streams of so many rows: what a change, another predicate, a union and a partition cost, and how that grows.
//
// usage: stream-benchmark ROWS      Prints one JSON object; every figure is in seconds of processor time.
import Glibc
import SyncModel
import SyncStreams

func fail(_ message: String) -> Never {
    let line = Array((message + "\n").utf8)
    write(STDERR_FILENO, line, line.count)
    exit(1)
}

func seconds(_ body: () -> Void) -> Double {
    func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
    let begin = now()
    body()
    return now() - begin
}

/// Streams with what they told, so that nothing is optimised away and an empty answer is seen.
struct Bench {
    var streams = Streams()
    private var now: Int64 = 0
    private var lastID: UInt64 = 0
    private(set) var told: [UInt64: Int] = [:]

    mutating func open(_ spec: String) -> UInt64 {
        lastID += 1
        do {
            streams.open(lastID, try StreamSpec(parsing: Array(spec.utf8)), now: now)
        } catch {
            fail("\(spec): \(error)")
        }
        return lastID
    }

    mutating func ask(_ id: UInt64, _ request: StreamRequest) {
        streams.handle(request, of: id, call: .host(1), now: now)
    }

    /// Until nothing waits.
    mutating func rest() {
        while let deadline = streams.nextDeadline {
            now = max(now, deadline)
            streams.advance(now: now)
        }
        for case .batch(let id, let batch, _) in streams.takeEffects() {
            told[id, default: 0] += batch.added.count + batch.deleted.count + batch.moved.count + batch.changed.count
        }
    }
}

/// Rows in no order, a sixth of the size of a chat message.
func row(_ number: Int, weight: Int? = nil) -> StreamItem {
    let scattered = (number &* 7_919) % 1_000_003
    let order = weight ?? scattered
    let json = "{\"n\":\(order),\"kind\":\(number % 100),\"name\":\"row \(number)\",\"note\":\"some text of a row\"}"
    return StreamItem(key: "k\(number)", json: Array(json.utf8))
}

func predicate(_ text: String) -> Predicate {
    do {
        return .expression(try RowCondition(try DocumentValue(parsing: Array(text.utf8))))
    } catch {
        fail("\(text): \(error)")
    }
}

func run() {
    guard CommandLine.arguments.count == 2, let count = Int(CommandLine.arguments[1]), count >= 1_000 else {
        fail("usage: stream-benchmark ROWS (at least 1000)")
    }
    let rows = (0..<count).map { row($0) }
    let ordered = #""order_by":"n","batch_delay":0}"#

    var bench = Bench()
    let stream = bench.open(#"{"source":"transient","# + ordered)
    let fill = seconds {
        bench.ask(stream, .add(rows))
        bench.rest()
    }
    let changes = 1_000
    let insert = seconds {
        for number in 0..<changes {
            bench.ask(stream, .add([row(count + number)]))
            bench.rest()
        }
    }
    let move = seconds {
        for number in 0..<changes {
            bench.ask(stream, .add([row(number * (count / changes), weight: (number &* 104_729) % 1_000_003)]))
            bench.rest()
        }
    }
    let half = predicate(#"{"<":["kind",50]}"#)
    let hide = seconds {
        bench.ask(stream, .setPredicate(half))
        bench.rest()
    }
    let show = seconds {
        bench.ask(stream, .setPredicate(nil))
        bench.rest()
    }

    var joined = Bench()
    let parts = (0..<5).map { _ in joined.open(#"{"source":"transient","# + ordered) }
    let union = joined.open(#"{"source":{"union":[\#(parts.map { "\($0)" }.joined(separator: ","))]},"batch_delay":0}"#)
    let unite = seconds {
        for (index, part) in parts.enumerated() {
            joined.ask(part, .add(Array(rows[(index * count / 5)..<((index + 1) * count / 5)])))
        }
        joined.rest()
    }
    let uniteOne = seconds {
        for number in 0..<changes {
            joined.ask(parts[number % 5], .add([row(count + number)]))
            joined.rest()
        }
    }

    var divided = Bench()
    let whole = divided.open(#"{"source":"transient","# + ordered)
    let titles = (0..<100).map { "\"\($0)\"" }.joined(separator: ",")
    let partition = divided.open(
        #"{"source":{"partition":{"stream":\#(whole),"titles":[\#(titles)],"rule":"kind"}},"batch_delay":0}"#)
    let divide = seconds {
        divided.ask(whole, .add(rows))
        divided.rest()
    }
    let divideOne = seconds {
        for number in 0..<changes {
            divided.ask(whole, .add([row(count + number)]))
            divided.rest()
        }
    }

    guard bench.told[stream] ?? 0 >= count + changes, joined.told[union] == count + changes,
        divided.told[partition] == count + changes
    else { fail("streams told something else than what was done") }

    func each(_ time: Double) -> Double { time / Double(changes) }
    print(
        "{\"rows\":\(count),\"fill\":\(fill),\"insert\":\(each(insert)),\"move\":\(each(move)),\"hide_half\":\(hide),"
            + "\"show_half\":\(show),\"union_fill\":\(unite),\"union_insert\":\(each(uniteOne)),"
            + "\"partition_fill\":\(divide),\"partition_insert\":\(each(divideOne))}")
}

run()
