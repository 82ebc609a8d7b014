import ServerBase
import ServerHTTP

/// Some of a list, as a request's `limit` and `token` ask for it. Tokens are positions in the list.
struct Page<Item> {
    let items: ArraySlice<Item>
    /// The token of the next page, empty when this is the last one.
    let next: String

    /// A page that has the whole list.
    init(all: [Item]) {
        items = all[...]
        next = ""
    }

    init(of all: [Item], _ query: RequestQuery, limit usual: Int = 10) throws {
        let limit = try max(1, query.limit(default: usual, max: 100))
        var start = 0
        if let token = query["token"], !token.isEmpty {
            guard let value = Int(token), value >= 0 else { throw Refusal.expiredToken() }
            start = min(value, all.count)
        }
        let end = min(all.count, start + limit)
        items = all[start..<end]
        next = end < all.count ? String(end) : ""
    }
}
