/// Where files are received from.
public protocol DownloadSource: AnyObject {
    /// What it says to a request for a file.
    func answer(_ url: String, _ headers: [(String, String)]) -> DownloadAnswer
}

/// The answer to a request for a file, and how its body ends.
public struct DownloadAnswer {
    public enum End: Sendable { case complete, broken, silent }

    public var status: Int
    public var headers: [(String, String)] = []
    public var body: [UInt8] = []
    public var end = End.complete

    public init(status: Int, headers: [(String, String)] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}
