import SyncModel
import SyncStreams

/// An open stream, as far as it is known without asking the engine.
struct StreamHandle {
    /// How deep streams may be nested.
    static let deepest = 16

    let kind: StreamSource.Kind
    /// 1 for a stream that is not made of others.
    let depth: Int

    /// `find`: an open stream of the same client by its number. A stream that cannot be part of another one is refused.
    init(_ spec: StreamSpec, find: (UInt64) -> StreamHandle?) throws(DocumentError) {
        kind = spec.source.kind
        var depth = 1
        for (index, number) in spec.source.streams.enumerated() {
            let path = kind == .union ? "$.source.union[\(index)]" : "$.source.partition.stream"
            guard let part = find(number) else {
                throw DocumentError(path: path, message: "no open stream has this number")
            }
            guard part.kind != .partition else {
                throw DocumentError(path: path, message: "a partition cannot be part of another stream")
            }
            depth = max(depth, part.depth + 1)
        }
        guard depth <= StreamHandle.deepest else {
            throw DocumentError(path: "$.source", message: "streams stand in each other more than 16 deep")
        }
        self.depth = depth
    }
}
