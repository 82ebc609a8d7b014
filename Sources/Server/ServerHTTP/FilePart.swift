/// A part of a file on the disk, or all of it, as the body of an answer.
public struct FilePart: Sendable {
    public let path: String
    public let range: Range<Int64>

    public init(path: String, range: Range<Int64>) {
        self.path = path
        self.range = range
    }

    public var count: Int64 { range.upperBound - range.lowerBound }
}
