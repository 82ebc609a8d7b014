import ServerBase

/// What becomes of a request's body, said when its headers are there.
public enum BodyIntake {
    /// It waits in memory until it is complete.
    case memory
    /// It is a form whose files go to a folder, each of at most so many bytes.
    case folder(FileFolder, limit: Int64)
    /// It is not taken: the answer goes out before it comes.
    case refused(HTTPResponse)
}
