import SyncJSON
import SyncModel

/// A value of a row as streams compare it. The order is that of the realtime database: null, false, true, numbers,
/// texts, objects. Numbers are doubles; texts are compared by their bytes of UTF-8; lists count as objects, and objects
/// are not told apart.
public enum StreamValue: Comparable, Sendable {
    case null
    case bool(Bool)
    case number(Double)
    case text(String)
    case object

    /// What is missing is null.
    public init(_ slice: JSONSlice?) {
        guard let slice, !slice.isNull, !slice.bytes.isEmpty else {
            self = .null
            return
        }
        if let bool = slice.bool {
            self = .bool(bool)
        } else if slice.isString {
            self = .text(slice.string ?? "")
        } else if let number = slice.double {
            self = .number(number)
        } else {
            self = .object
        }
    }

    init(_ json: JSON) {
        switch json.kind {
        case .null: self = .null
        case .bool: self = .bool(json.bool ?? false)
        case .integer, .real: self = .number(json.double ?? 0)
        case .string: self = .text(json.string ?? "")
        case .object, .array: self = .object
        }
    }

    private var rank: Int {
        switch self {
        case .null: 0
        case .bool: 1
        case .number: 2
        case .text: 3
        case .object: 4
        }
    }

    /// Whether both are of one kind, so that "less" means something.
    func isSameKind(as other: StreamValue) -> Bool { rank == other.rank }

    public static func == (left: StreamValue, right: StreamValue) -> Bool {
        switch (left, right) {
        case (.null, .null), (.object, .object): true
        case (.bool(let left), .bool(let right)): left == right
        case (.number(let left), .number(let right)): left == right
        case (.text(let left), .text(let right)): left.isByteEqual(to: right)
        default: false
        }
    }

    public static func < (left: StreamValue, right: StreamValue) -> Bool {
        switch (left, right) {
        case (.bool(let left), .bool(let right)): !left && right
        case (.number(let left), .number(let right)): left < right
        case (.text(let left), .text(let right)): TextKey(left) < TextKey(right)
        default: left.rank < right.rank
        }
    }
}
