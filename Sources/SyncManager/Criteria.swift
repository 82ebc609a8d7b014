import SyncJSON
import SyncModel

/// Queries and filters as hosts write them (docs/queries.md).
enum Criteria {
    static func query(_ bytes: [UInt8]) throws(BorderError) -> ChannelQuery {
        let json = try DocumentReader(bytes).document
        do throws(DocumentError) { return try ChannelQuery(json: json) } catch { throw BorderError(error) }
    }

    static func filter(_ bytes: [UInt8]) throws(BorderError) -> MessageFilter {
        let json = try DocumentReader(bytes).document
        do throws(DocumentError) { return try MessageFilter(json: json) } catch { throw BorderError(error) }
    }
}

extension BorderError {
    init(_ error: DocumentError) {
        self.init(.invalidDocument, "\(error.path): \(error.message)", path: error.path)
    }
}
