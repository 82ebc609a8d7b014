import SyncBytes
import SyncModel

extension FixedWidthInteger {
    /// The number that an id reads as, if it is one.
    public init?(_ id: some TextID) { self.init(id.text) }
}
