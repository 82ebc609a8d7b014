import SyncEngine
import SyncModel
import SyncStreams

@testable import SyncManager

/// The host: it takes events out of the library's own event buffer, which drops and resyncs when the host is slow.
final class Host {
    /// A slow host drains now and then, a prompt one after every input.
    let isSlow: Bool
    private let buffer: EventBuffer
    /// What the host shows.
    private(set) var replay = Replay()
    private(set) var overflows = 0
    /// The parents of threads as they were told last; an inner `nil`: it is gone.
    private(set) var parents: [CollectionID: [UInt8]?] = [:]
    private var handles: [UInt64: StreamHandle] = [:]

    init(isSlow: Bool, limit: Int) {
        self.isSlow = isSlow
        buffer = EventBuffer(limit: limit)
    }

    var isEmpty: Bool { buffer.isEmpty }

    func push(_ output: HostOutput) { buffer.push(output, time: 0) }

    /// `channelURL`: of messages.
    func open(_ info: CollectionInfo, channelURL: String?) {
        replay.open(info.collection)
        buffer.add(DeliveredLists(info, channelURL: channelURL.map { ChannelURL($0) }, criteria: Array("{}".utf8)))
    }

    func open(search info: CollectionInfo) {
        replay.open(info.collection)
        buffer.add(DeliveredLists(info, channelURL: nil, criteria: Array("{}".utf8), isSearch: true))
    }

    func open(stream id: UInt64, _ spec: StreamSpec) throws {
        let handle = try StreamHandle(spec) { handles[$0] }
        handles[id] = handle
        buffer.add(DeliveredLists(id: .host(id), stream: handle, spec: spec, criteria: Array("{}".utf8)))
    }

    /// Nothing of it is told any more, not even what waits.
    func close(_ id: CollectionID) {
        replay.close(id)
        parents[id] = nil
        buffer.remove(collection: id)
    }

    /// Takes one event; the second value is what the engine has to hear of then.
    func take() throws -> (output: HostOutput, posts: [HostPost])? {
        guard let event = buffer.take() else { return nil }
        switch event.output {
        case .event(.change(let change)): try replay.apply(change)
        case .event(.collection(let id, .overflow(let dropped))):
            overflows += 1
            guard dropped > 0 else { throw Violation(description: "overflow of \(id) without anything dropped") }
        case .event(.collection(let id, .parentUpdated(let json, _))): parents[id] = .some(json)
        case .event(.collection(let id, .parentRemoved)): parents[id] = .some(nil)
        case .event: break
        case .completion(let completion): if let info = completion.info { replay.note(info) }
        }
        return (event.output, buffer.takeWants().posts)
    }

    func info(_ id: CollectionID) -> [UInt8]? { buffer.info(of: id) }

    func snapshot(_ id: CollectionID) -> [UInt8]? { buffer.snapshot(of: id) }
}
