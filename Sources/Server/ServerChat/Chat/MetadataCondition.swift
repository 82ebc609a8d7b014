import SyncBytes
import SyncJSON

/// What a list of users asks of their metadata: a key, with one of some values if there are any.
public struct MetadataCondition {
    private let key: String
    private let values: TextSet?

    /// Without a key it holds for everybody.
    public init(key: String = "", values: TextSet? = nil) {
        self.key = key
        self.values = values
    }

    func matches(_ user: UserRow) -> Bool {
        guard !key.isEmpty else { return true }
        guard let value = (try? JSON.parse(user.metadata))?[key]?.string else { return false }
        return values?.contains(value) ?? true
    }
}
