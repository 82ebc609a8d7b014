import ServerBase

/// What is done with a request's body; decided when the headers have come.
public enum BodyIntake {
    /// It waits in memory until it is complete.
    case memory
    /// It is a form whose files go to a folder, each of at most so many bytes.
    case folder(FileFolder, limit: Int64)
    /// It is refused: the answer goes out before the body has come.
    case refused(HTTPResponse)
}
