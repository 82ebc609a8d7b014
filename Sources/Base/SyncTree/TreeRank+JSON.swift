import SyncJSON

extension TreeRank {
    /// The rank of a JSON value; a missing one is nothing. Every list and object counts as having children.
    public init(_ slice: JSONSlice?) {
        guard let slice, !slice.isNull, !slice.bytes.isEmpty else {
            self = .nothing
            return
        }
        if let bool = slice.bool {
            self = .bool(bool)
        } else if slice.isString {
            self = .text(slice.string ?? "")
        } else if let number = TreeLeaf(number: slice) {
            self.init(number)
        } else {
            self = .children
        }
    }

    public init(_ json: JSON) {
        switch json.kind {
        case .null: self = .nothing
        case .bool: self = .bool(json.bool ?? false)
        case .integer: self = .integer(json.int ?? 0)
        case .real: self.init(json.double.flatMap { TreeLeaf($0) })
        case .string: self = .text(json.string ?? "")
        case .object, .array: self = .children
        }
    }
}
