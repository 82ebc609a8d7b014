import SyncBytes
import SyncJSON

/// For services that number their messages.
extension MessageID {
    public init(number: Int64) { self.init(String(number)) }

    /// A JSON number when the text is the usual form of that number, else a text: "01" and "1" are two ids.
    public var json: JSON {
        guard let number = Int64(text), String(number).isByteEqual(to: text) else { return .string(text) }
        return .int(number)
    }
}
