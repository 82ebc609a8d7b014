import SyncModel

/// Queries and filters as hosts write them (docs/queries.md, docs/search.md).
enum Criteria {
    static func query(_ bytes: [UInt8]) throws(DocumentError) -> ChannelQuery {
        try ChannelQuery(json: try DocumentValue(parsing: bytes).json)
    }

    static func search(_ bytes: [UInt8]) throws(DocumentError) -> SearchQuery {
        try SearchQuery(json: try DocumentValue(parsing: bytes).json)
    }

    static func filter(_ bytes: [UInt8]) throws(DocumentError) -> MessageFilter {
        try MessageFilter(json: try DocumentValue(parsing: bytes).json)
    }
}
