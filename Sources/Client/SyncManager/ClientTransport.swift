import SyncModel

/// The transport of a client, whose inputs go to a receiver.
package protocol ClientTransport: Transport {
    typealias Receiver = @Sendable (TransportInput, TransportOwner) -> Void

    /// To be called before the first command.
    func setReceiver(_ receiver: @escaping Receiver)
    /// Whether an input is still wanted. To be called once for each input, when it is taken.
    func accepts(_ input: TransportInput, of owner: TransportOwner) -> Bool
    /// Too much waits for the engine: streams and sockets are not read until `readOn`.
    func stopReading()
    func readOn()
    var isReading: Bool { get }
    /// Since when bytes wait to be read, by the clock that never jumps; `nil`: none wait.
    var unreadSince: Int64? { get }
    /// When this has returned, the receiver is not called any more.
    func close()
}
