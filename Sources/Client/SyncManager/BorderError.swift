import SyncModel

/// Why a call of the host was refused before the engine saw it.
package struct BorderError: Error {
    var status: Status
    var message: String
    /// JSON path of the value that was wrong in a document.
    var path: String?

    package init(_ status: Status, _ message: String, path: String? = nil) {
        self.status = status
        self.message = message
        self.path = path
    }

    init(_ error: DocumentError) {
        self.init(.invalidDocument, "\(error.path): \(error.message)", path: error.path)
    }
}
