import ServerBase
import ServerChat
import ServerHTTP
import SyncBytes
import SyncJSON

/// What a list of users asks of their metadata: a key, with one of some values if there are any.
struct MetadataCondition {
    private let key: String
    private let values: TextSet?

    init(_ query: RequestQuery) {
        key = query.text("metadatakey")
        values = query.choice("metadatavalues_in")
    }

    func matches(_ user: UserRow) -> Bool {
        guard !key.isEmpty else { return true }
        guard let value = (try? JSON.parse(user.metadata))?[key]?.string else { return false }
        return values?.contains(value) ?? true
    }
}
