import SyncBytes
import SyncModel

/// A row of a stream, at its place.
public struct StreamRow: WindowRow, Sendable {
    public let place: StreamPlace
    /// What the host sees of it: any JSON value.
    public let json: [UInt8]

    public var id: TextKey { TextKey(place.key) }

    init(_ place: StreamPlace, json: [UInt8]) {
        self.place = place
        self.json = json
    }
}
