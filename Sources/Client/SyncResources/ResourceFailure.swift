import SyncModel

/// Why a request was not carried out.
public struct ResourceFailure: Error, Equatable, Sendable {
    public let status: Status
    /// One line. When an argument is wrong it begins with its JSON path.
    public let message: String
    /// The service's own code; 0 when it gave none.
    public let code: Int

    public init(_ status: Status, _ message: String, code: Int = 0) {
        self.status = status
        self.message = message
        self.code = code
    }
}
