import SyncEngine
import SyncModel

/// The events of the library on their way to the host, and what the host makes of them.
struct Host {
    /// A slow host drains now and then, a prompt one after every input.
    let isSlow: Bool
    private var waiting: [HostOutput] = []
    var replay = Replay()

    init(isSlow: Bool) { self.isSlow = isSlow }

    var isEmpty: Bool { waiting.isEmpty }

    mutating func push(_ output: HostOutput) { waiting.append(output) }

    mutating func open(_ id: UInt64) { replay.open(id) }

    /// Nothing of it is told any more, not even what waits.
    mutating func close(_ id: UInt64) {
        replay.close(id)
        waiting.removeAll { output in
            switch output {
            case .event(.change(let change)): change.collection == id
            case .event(.collection(id, _)): true
            default: false
            }
        }
    }

    mutating func take() throws -> HostOutput? {
        guard !waiting.isEmpty else { return nil }
        let output = waiting.removeFirst()
        switch output {
        case .event(.change(let change)): try replay.apply(change)
        case .event: break
        case .completion(let completion): if let info = completion.info { replay.note(info) }
        }
        return output
    }
}
