import SyncJSON
import SyncModel
import SyncStore

/// A result as a list shows it.
struct SearchResult: WindowRow {
    let place: SearchPlace
    let json: [UInt8]

    var id: ResultID { place.id }

    init(_ found: FoundMessage) {
        place = found.place
        var writer = JSONWriter(capacity: found.json.count + 512)
        writer.beginObject()
        writer.member("channel_url", found.channelURL.text)
        writer.member("message", raw: found.json)
        writer.key("snippet")
        writer.beginObject()
        writer.member("text", found.snippet.text)
        writer.key("matches")
        writer.beginArray()
        for place in found.snippet.places {
            writer.beginObject()
            writer.member("start", place.bytes.lowerBound)
            writer.member("end", place.bytes.upperBound)
            writer.member("utf16_start", place.utf16.lowerBound)
            writer.member("utf16_end", place.utf16.upperBound)
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
        writer.endObject()
        json = writer.bytes
    }
}
