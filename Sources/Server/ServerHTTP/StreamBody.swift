import CLinux
import CMicrohttpd
import Glibc

/// The body of an answer that stays open: more bytes may follow at any time.
///
/// libmicrohttpd asks for bytes; when there are none, the connection is suspended until there are some again. While it
/// is suspended, libmicrohttpd does not look at its socket, so the socket is watched here: nothing more is sent to a
/// peer that has closed its side, and its descriptor is free at once, and not only when the next sign of life is due.
final class StreamBody: EventLink {
    /// Told when libmicrohttpd has something to do.
    private let wake: () -> Void
    private let loop: EventLoop
    private let connection: OpaquePointer
    private let descriptor: Int32
    private var waiting: [UInt8] = []
    /// How much of `waiting` is out already.
    private var position = 0
    private var state = State.open
    private var isSuspended = false
    private var closing: [() -> Void] = []

    private enum State {
        case open
        case ended
        case dropped
        /// The connection is gone.
        case closed
    }

    /// The most bytes that wait for a slow peer; with more, the connection is dropped.
    private static let limit = 16 << 20

    init(_ loop: EventLoop, _ connection: OpaquePointer, wake: @escaping () -> Void) {
        self.wake = wake
        self.loop = loop
        self.connection = connection
        descriptor = shim_mhd_socket(connection)
        // EPOLLHUP and EPOLLERR come without being asked for.
        loop.add(descriptor, events: EPOLLRDHUP.rawValue) { [weak self] _ in self?.peerCloses() }
    }

    func send(_ bytes: [UInt8]) {
        guard state == .open else { return }
        waiting += bytes
        if waiting.count - position > StreamBody.limit { return drop() }
        resume()
    }

    func end() {
        guard state == .open else { return }
        state = .ended
        resume()
    }

    private func peerCloses() {
        // The event stays set from now on, and would be reported again and again.
        loop.remove(descriptor)
        drop()
    }

    func drop() {
        guard state != .closed else { return }
        state = .dropped
        // While a peer takes nothing, libmicrohttpd asks for no more bytes, and so it would never see the end.
        shim_mhd_shut_down(connection)
        resume()
    }

    func onClose(_ action: @escaping () -> Void) { closing.append(action) }

    private func resume() {
        guard isSuspended else { return }
        isSuspended = false
        MHD_resume_connection(connection)
        wake()
    }

    /// Fills libmicrohttpd's buffer: a count, 0 when it has to wait, -1 at the end, -2 to break the connection.
    func read(_ buffer: UnsafeMutablePointer<CChar>, _ room: Int) -> Int {
        if state == .dropped { return -2 }
        let count = min(room, waiting.count - position)
        if count > 0 {
            waiting.withUnsafeBytes { raw in
                UnsafeMutableRawBufferPointer(start: buffer, count: count).copyMemory(
                    from: UnsafeRawBufferPointer(rebasing: raw[position..<(position + count)]))
            }
            position += count
            if position == waiting.count {
                waiting = []
                position = 0
            } else if position > StreamBody.limit {
                // The bytes that are sent already must not pile up when a peer never catches up.
                waiting.removeFirst(position)
                position = 0
            }
            return count
        }
        if state == .ended { return -1 }
        isSuspended = true
        MHD_suspend_connection(connection)
        return 0
    }

    /// libmicrohttpd is done with the answer, and closes the socket next.
    func closed() {
        loop.remove(descriptor)
        state = .closed
        isSuspended = false
        waiting = []
        for action in closing { action() }
        closing = []
    }
}
