import SyncBytes
import SyncJSON

/// For services that number their messages.
extension MessageID {
    public init(number: Int64) { self.init(String(number)) }

    /// A number, where the text is one as numbers are written: "01" and "1" are two ids.
    public var json: JSON {
        guard let number = Int64(text), String(number).isByteEqual(to: text) else { return .string(text) }
        return .int(number)
    }
}
