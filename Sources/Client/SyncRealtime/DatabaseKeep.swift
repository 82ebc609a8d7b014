import SyncTree

/// Where the machine keeps what has to outlive the process. Each call is done, and on the disk, when it returns.
public protocol DatabaseKeep: AnyObject {
    /// Keeps a write until `forget`; `false` when that is not possible, and then the write is not made.
    func keep(_ write: QueuedWrite) -> Bool
    /// A write has ended. `false` when it is still kept: the machine asks again, and sends nothing meanwhile.
    func forget(write id: UInt64) -> Bool

    /// The JSON that is kept of a place; `nil` when nothing is, or it cannot be read. Asking is a use of the place.
    func value(at place: KeptPlace) -> [UInt8]?
    /// The most bytes of JSON that are kept of a place.
    var valueLimit: Int { get }
    /// Keeps JSON of a place, or drops what is kept there for `nil`. `false` when that is not possible.
    ///
    /// - Parameter isChange: the value is what was kept, changed. Otherwise it is what the service has told, or was to
    ///   be kept and could not be, and a whole place drops what is kept within it.
    func keep(_ value: [UInt8]?, at place: KeptPlace, isChange: Bool) -> Bool
    /// The places of which something is kept and that are a path, lie within it or around it.
    func places(touching path: TreePath) -> [KeptPlace]
}
