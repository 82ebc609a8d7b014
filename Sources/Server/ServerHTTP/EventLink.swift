/// The connection of an event stream, as its sender sees it.
public protocol EventLink: AnyObject {
    /// Bytes go out after those before them. A peer that takes them too slowly is dropped.
    func send(_ bytes: [UInt8])
    /// The stream is complete: what waits still goes out.
    func end()
    /// Breaks the connection; what waits is lost.
    func drop()
    /// Calls `action` once the connection has ended, by either side.
    func onClose(_ action: @escaping () -> Void)
}
