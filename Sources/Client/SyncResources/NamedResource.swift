import SyncBytes
import SyncJSON
import SyncModel

/// What a context has under a name.
public struct NamedResource: Equatable, Sendable {
    public let name: TextKey
    public let entry: ResourceEntry

    public init(name: TextKey, entry: ResourceEntry) {
        self.name = name
        self.entry = entry
    }

    /// Writes an object of names and resources.
    static func write(_ list: [NamedResource], _ writer: inout JSONWriter) {
        writer.beginObject()
        for resource in list {
            writer.key(escaping: resource.name.text)
            resource.entry.write(&writer)
        }
        writer.endObject()
    }
}
