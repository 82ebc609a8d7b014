import SyncEngine

/// What a collection's handle stands for.
final class CollectionHandle: @unchecked Sendable {
    let client: Client
    let id: UInt64
    let isMessages: Bool
    /// Of a thread: the id of the message that it answers.
    let parentID: String

    init(client: Client, id: UInt64, isMessages: Bool, parentID: String = "") {
        self.client = client
        self.id = id
        self.isMessages = isMessages
        self.parentID = parentID
    }

    func checkMessages() throws(BorderError) {
        guard isMessages else { throw BorderError(.invalidHandle, "a collection of channels has no messages") }
    }
}
