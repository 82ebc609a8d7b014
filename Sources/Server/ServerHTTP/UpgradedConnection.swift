import CMicrohttpd

/// A connection after its upgrade. The socket stays libmicrohttpd's: it ends by `close`, never by close(2).
final class UpgradedConnection {
    let socket: Int32
    /// What came together with the handshake.
    let firstBytes: [UInt8]
    private var handle: OpaquePointer?
    private let front: HTTPFront

    init(socket: Int32, handle: OpaquePointer, front: HTTPFront, firstBytes: [UInt8]) {
        self.socket = socket
        self.handle = handle
        self.front = front
        self.firstBytes = firstBytes
    }

    func close() {
        guard let handle else { return }
        self.handle = nil
        shim_mhd_close_upgraded(handle)
        front.wake()
    }
}
