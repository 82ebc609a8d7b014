import SyncStreams

public typealias StreamFunction =
    @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?, UnsafePointer<CChar>?, Int) -> Int32

/// A function of the host that decides about rows of a stream. Its destroy function is called when neither the engine
/// nor a waiting command can call it any more.
final class HostFunction: RowFunction, @unchecked Sendable {
    private let function: StreamFunction
    private let listener: Listener

    /// `nil` when the host gave no function; `listener` then calls the destroy function.
    init?(_ function: StreamFunction?, _ listener: Listener) {
        guard let function else { return nil }
        self.function = function
        self.listener = listener
    }

    deinit { listener.end() }

    func value(of item: StreamItem) -> Int {
        var text = item.json
        text.append(0)
        return item.key.withCString { key in
            text.withUnsafeBytes { bytes in
                Int(function(
                    listener.userData, key, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count - 1))
            }
        }
    }
}
