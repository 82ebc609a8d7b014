import SyncJSON

/// Why something is not a valid value, key, path or query of a tree.
public struct TreeError: Error, Equatable, Sendable {
    public enum Reason: Equatable, Sendable {
        /// The text is not JSON, or not of the kind that is expected.
        case syntax
        /// A member's name that is not a valid key; lines and columns are counted from 1.
        case key(line: Int, column: Int)
        /// A path with a part that is not a valid key.
        case path
        /// More than `TreePath.depthLimit` levels.
        case depth
        /// A string longer than `TreeReader.stringLimit`.
        case string
        /// A number that no double can hold.
        case number
        /// More than `TreeReader.sizeLimit` bytes in memory, or `JSONReader.valueLimit` values.
        case size
        /// `.value`, `.priority` or `.sv` with something that does not belong there.
        case special(String)
        /// Two paths of one update that are equal, or of which one is below the other.
        case overlap(String, String)
        /// A query that is not possible.
        case query(String)
    }

    public let reason: Reason

    public init(_ reason: Reason) { self.reason = reason }

    /// Why a text could not be read.
    public init(_ error: JSONError) { reason = error.isTooLarge ? .size : .syntax }
}

extension TreeError: CustomStringConvertible {
    /// One line, as the realtime database's own service words it where that is known.
    public var description: String {
        switch reason {
        case .syntax: "Invalid data; couldn't parse JSON object, array, or value."
        case .key(let line, let column):
            "Invalid data; couldn't parse key beginning at \(line):\(column). "
                + "Key value can't be empty or contain $ # [ ] / or ."
        case .path: "Invalid path: Invalid token in path"
        case .depth: "Invalid data; more than \(TreePath.depthLimit) levels of keys."
        case .string: "Invalid data; a string is longer than \(TreeReader.stringLimit) bytes."
        case .number: "Invalid data; a number is too large."
        case .size:
            "Invalid data; it takes more than \(TreeReader.sizeLimit) bytes, or has more than "
                + "\(JSONReader.valueLimit) values."
        case .special(let what): "Invalid data; \(what)."
        case .overlap(let outer, let inner): "Invalid data; path \"\(outer)\" is an ancestor of \"\(inner)\"."
        case .query(let what): what
        }
    }
}
