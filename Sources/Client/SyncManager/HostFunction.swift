import SyncStreams

public typealias StreamFunction =
    @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?, UnsafePointer<CChar>?, Int) -> Int32

/// A function of the host's that says something about rows of a stream. Its context ends with it, when neither the
/// engine nor a command on its way there can call it any more.
final class HostFunction: RowFunction, @unchecked Sendable {
    private let function: StreamFunction
    private let listener: Listener

    /// `nil` when the host gave none; its context then ends with `listener`.
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
