/// A file as it came in a multipart body.
struct UploadedFile {
    let name: String
    /// The media type the client named; empty when it named none.
    let type: String
    let bytes: [UInt8]
}
