import SyncModel

/// What a stream knows of one key. There is one dictionary of these in a stream, and everything that waits or stands
/// somewhere is found through it.
final class HeldRow {
    let key: TextKey
    /// What the source has, whether it is shown or not. None where the sources are streams.
    var item: StreamItem?
    /// As it stands in a section, shown or waiting there.
    var row: StreamRow?
    /// Which section that is.
    var section = 0
    /// It may not stand as it should.
    var isDirty = false

    init(_ key: TextKey) { self.key = key }
}
