import SyncEngine
import SyncModel
import SyncStreams

/// The collection that a handle stands for.
final class CollectionHandle: @unchecked Sendable {
    let client: Client
    let id: CollectionID
    let isMessages: Bool
    /// `nil` for a collection that is not a stream.
    let stream: StreamSource.Kind?
    /// For a thread: the id of its parent message.
    let parentID: MessageID

    init(
        client: Client, id: CollectionID, isMessages: Bool, parentID: MessageID = "", stream: StreamSource.Kind? = nil
    ) {
        self.client = client
        self.id = id
        self.isMessages = isMessages
        self.parentID = parentID
        self.stream = stream
    }

    func checkMessages() throws(BorderError) {
        try checkNoStream()
        guard isMessages else { throw BorderError(.invalidHandle, "a collection of channels has no messages") }
    }

    func checkNoStream() throws(BorderError) {
        guard stream == nil else { throw BorderError(.invalidHandle, "a stream is asked with sm_stream_call()") }
    }

    func checkStream() throws(BorderError) -> StreamSource.Kind {
        guard let stream else { throw BorderError(.invalidHandle, "the collection is no stream") }
        return stream
    }
}
