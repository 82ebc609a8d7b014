import ServerBase

/// A file as it came in a multipart body.
public struct UploadedFile {
    public let name: String
    /// The media type the client named; empty when it named none.
    public let type: String
    public let content: FileContent
}
