import SyncTree

/// Keeps what has to outlive the process. When a call returns, its change is on the disk.
public protocol DatabaseKeep: AnyObject {
    /// Keeps a write until `forget`. `false` when that is not possible: then the write is not made.
    func keep(_ write: QueuedWrite) -> Bool
    /// Removes a write that has ended. `false` when it is still kept: the machine tries again, and sends no other write
    /// before the removal has succeeded.
    func forget(write id: UInt64) -> Bool

    /// The JSON that is kept of a place; `nil` when there is none, or it cannot be read. It counts as a use of the
    /// place.
    func value(at place: KeptPlace) -> [UInt8]?
    /// The most bytes of JSON that are kept of a place.
    var valueLimit: Int { get }
    /// Keeps JSON of a place; `nil` drops what is kept. `false` when that is not possible.
    ///
    /// - Parameter isChange: the value is the kept one with a change. Otherwise it was told by the service, or could
    ///   not be kept before; then a whole place drops what is kept within it.
    func keep(_ value: [UInt8]?, at place: KeptPlace, isChange: Bool) -> Bool
    /// The places with kept values that are equal to a path, within it or around it.
    func places(touching path: TreePath) -> [KeptPlace]
}
