import CMicrohttpd

/// A connection after its upgrade. The socket stays libmicrohttpd's: it ends by `close`, never by close(2).
final class UpgradedConnection {
    let socket: Int32
    /// What came together with the handshake.
    let firstBytes: [UInt8]
    private var handle: OpaquePointer?
    /// Told when libmicrohttpd has something to do.
    private let wake: () -> Void

    init(socket: Int32, handle: OpaquePointer, firstBytes: [UInt8], wake: @escaping () -> Void) {
        self.socket = socket
        self.handle = handle
        self.firstBytes = firstBytes
        self.wake = wake
    }

    func close() {
        guard let handle else { return }
        self.handle = nil
        shim_mhd_close_upgraded(handle)
        wake()
    }
}
