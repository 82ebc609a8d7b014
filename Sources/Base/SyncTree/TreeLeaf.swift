import SyncBytes
import SyncJSON

/// A value without children. A number is a 64-bit integer when it was written as one, or when it is whole and small
/// enough for doubles to be exact, so 1.0 is 1; otherwise it is a double.
public enum TreeLeaf: Sendable {
    case bool(Bool)
    case integer(Int64)
    case real(Double)
    case text(String)

    /// Up to here every whole double is exact.
    private static let exactLimit = Double(1 << 53)

    /// A number; `nil` for those that JSON does not have.
    public init?(_ number: Double) {
        guard number.isFinite else { return nil }
        if number.magnitude <= TreeLeaf.exactLimit, let whole = Int64(exactly: number) {
            self = .integer(whole)
        } else {
            self = .real(number)
        }
    }

    /// Reads a JSON number; `nil` for anything else, and for a number that no double can hold.
    init?(number slice: JSONSlice) {
        if let whole = slice.int {
            self = .integer(whole)
        } else if let number = slice.double {
            self.init(number)
        } else {
            return nil
        }
    }

    public var isNumber: Bool {
        switch self {
        case .integer, .real: true
        case .bool, .text: false
        }
    }

    /// The number as a double; `nil` for a leaf that is not a number.
    public var double: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .real(let value): value
        case .bool, .text: nil
        }
    }

    /// The sum of two numbers: an integer if it fits, else a double; `nil` when no double can hold it.
    func adding(_ other: TreeLeaf) -> TreeLeaf? {
        if case .integer(let first) = self, case .integer(let second) = other {
            let (sum, overflows) = first.addingReportingOverflow(second)
            if !overflows { return .integer(sum) }
        }
        guard let first = double, let second = other.double else { return nil }
        return TreeLeaf(first + second)
    }
}

extension TreeLeaf: Equatable {
    public static func == (left: TreeLeaf, right: TreeLeaf) -> Bool {
        switch (left, right) {
        case (.bool(let first), .bool(let second)): first == second
        case (.integer(let first), .integer(let second)): first == second
        case (.real(let first), .real(let second)): first == second
        case (.text(let first), .text(let second)): first.isByteEqual(to: second)
        default: false
        }
    }
}
