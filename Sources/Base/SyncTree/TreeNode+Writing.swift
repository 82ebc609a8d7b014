import SyncJSON

extension TreeNode {
    /// How a value is written.
    public enum Format: Sendable {
        /// Children whose keys are indices of an array become an array, if at most half of its places are empty;
        /// null stands in the empty places. Priorities are left out.
        case plain
        /// With `.priority`, and `.value` where a leaf has one; no arrays. A value that is written so is read back
        /// unchanged.
        case export
    }

    /// Writes the value as JSON; an empty one is null. A text with more than `limit` bytes may lack children.
    public func write(_ writer: inout JSONWriter, _ format: Format = .plain, limit: Int = .max) {
        switch content {
        case .nothing: writer.null()
        case .leaf(let leaf):
            guard format == .export, let priority else { return leaf.write(&writer) }
            writer.beginObject()
            writer.key(".value")
            leaf.write(&writer)
            writer.key(".priority")
            priority.write(&writer)
            writer.endObject()
        case .children(let children):
            if format == .plain, let length = TreeNode.arrayLength(children) {
                return TreeNode.writeArray(children, length, &writer)
            }
            writer.beginObject()
            if format == .export, let priority {
                writer.key(".priority")
                priority.write(&writer)
            }
            for child in children {
                guard writer.count <= limit else { break }
                writer.key(escaping: child.key.text)
                child.node.write(&writer, format, limit: limit)
            }
            writer.endObject()
        }
    }

    /// The value in the format `export`, as JSON text; `nil` when that has more bytes than the limit. A value that is
    /// far larger costs no more than one that is just too large.
    public func exported(limit: Int) -> [UInt8]? {
        var writer = JSONWriter()
        write(&writer, .export, limit: limit)
        return writer.count <= limit ? writer.bytes : nil
    }

    /// The value as JSON text.
    public func json(_ format: Format = .plain) -> [UInt8] {
        var writer = JSONWriter()
        write(&writer, format)
        return writer.bytes
    }

    /// The children's names with true for each value, or the leaf itself.
    public func shallow() -> TreeNode {
        guard hasChildren else { return self }
        return TreeNode(ordered: children.map { TreeChild(key: $0.key, node: TreeNode(.bool(true))) })
    }

    /// The length of the array that these children make; `nil` when they are written as an object.
    private static func arrayLength(_ children: [TreeChild]) -> Int? {
        // Keys that are numbers come first, the largest of them last.
        guard let highest = children.last?.key.index, highest < 2 * children.count else { return nil }
        return children.allSatisfy { $0.key.index != nil } ? highest + 1 : nil
    }

    private static func writeArray(_ children: [TreeChild], _ length: Int, _ writer: inout JSONWriter) {
        writer.beginArray()
        var next = 0
        for child in children {
            let index = child.key.index ?? next
            while next < index {
                writer.null()
                next += 1
            }
            child.node.write(&writer)
            next = index + 1
        }
        writer.endArray()
    }
}

extension TreeLeaf {
    /// Writes the value as JSON.
    public func write(_ writer: inout JSONWriter) {
        switch self {
        case .bool(let value): writer.bool(value)
        case .integer(let value): writer.int(value)
        // The shortest text that reads back as the same double.
        case .real(let value): writer.raw(Array("\(value)".utf8))
        case .text(let value): writer.string(value)
        }
    }
}
