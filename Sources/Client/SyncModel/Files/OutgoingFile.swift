/// A file of an own message that the service does not have yet.
public struct OutgoingFile: Equatable, Sendable {
    public var path: String
    /// The stamp of the file when the message was written; a file with another stamp is not sent.
    public var stamp: FileStamp
    public var name: String
    /// The media type.
    public var type: String
    /// Sizes in which the service is to make pictures of it, in pixels.
    public var thumbnails: [Thumbnail]
    /// Whether the service gives it only to users who are logged in.
    public var requiresAuth: Bool

    public struct Thumbnail: Equatable, Sendable {
        public var width: Int64
        public var height: Int64

        public init(width: Int64, height: Int64) {
            self.width = width
            self.height = height
        }
    }

    public init(
        path: String, stamp: FileStamp, name: String, type: String, thumbnails: [Thumbnail] = [],
        requiresAuth: Bool = false
    ) {
        self.path = path
        self.stamp = stamp
        self.name = name
        self.type = type
        self.thumbnails = thumbnails
        self.requiresAuth = requiresAuth
    }
}

/// A file that the service has taken.
public struct UploadedFile: Equatable, Sendable {
    public var url: String
    /// A JSON list: the pictures that the service has made of it.
    public var thumbnails: [UInt8]
    public var requiresAuth: Bool

    public init(url: String, thumbnails: [UInt8], requiresAuth: Bool) {
        self.url = url
        self.thumbnails = thumbnails
        self.requiresAuth = requiresAuth
    }
}
