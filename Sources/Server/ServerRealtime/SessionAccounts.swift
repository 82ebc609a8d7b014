/// Says to whom a session key belongs; the chat knows that.
public protocol SessionAccounts: AnyObject {
    /// The user of a key that is good now; else the `Refusal` says why it is not.
    func account(ofSession key: String) throws -> (id: String, nickname: String)
    /// When a key runs out, in milliseconds since the epoch; 0 is never, `nil` is no such key.
    func expiry(ofSession key: String) throws -> Int64?
}
