import SyncJSON

/// An action with its arguments, as a host asked for it and the table allows it.
public struct ActionCall: Equatable, Sendable {
    public enum Value: Equatable, Sendable {
        case text(String)
        case texts([String])
        case integer(Int64)
        case flag(Bool)
        /// JSON text of an object, or of any value where the table takes any.
        case object([UInt8])
    }

    public let action: Action
    public let arguments: [String: Value]
    /// Milliseconds until the call completes with TIMEOUT; `nil`: the client's request timeout.
    public let timeout: Int64?

    public init(action: Action, arguments: [String: Value], timeout: Int64? = nil) {
        self.action = action
        self.arguments = arguments
        self.timeout = timeout
    }

    // What the engine knows beside what the host asked for; no host can name them.
    /// A flag: the message that the action is about is a file message.
    public static let concernsFile = "(concerns file)"
    /// Milliseconds since the epoch by this machine.
    public static let sentAt = "(sent at)"
    /// JSON text of an object: what the service told of itself at login.
    public static let toldAtLogin = "(told at login)"

    public func adding(_ key: String, _ value: Value) -> ActionCall {
        ActionCall(action: action, arguments: arguments.merging([key: value]) { $1 }, timeout: timeout)
    }

    // MARK: Arguments. Those that the table requires are there; asking for another kind gives what is empty.

    public func text(_ key: String) -> String? {
        if case .text(let value) = arguments[key] { value } else { nil }
    }

    public func texts(_ key: String) -> [String]? {
        if case .texts(let value) = arguments[key] { value } else { nil }
    }

    public func integer(_ key: String) -> Int64? {
        if case .integer(let value) = arguments[key] { value } else { nil }
    }

    public func flag(_ key: String) -> Bool? {
        if case .flag(let value) = arguments[key] { value } else { nil }
    }

    public func object(_ key: String) -> [UInt8]? {
        if case .object(let value) = arguments[key] { value } else { nil }
    }

    /// Bytes of all its arguments that can be long.
    public var textBytes: Int {
        arguments.values.reduce(0) { sum, value in
            switch value {
            case .text(let text): sum + text.utf8.count
            case .texts(let texts): texts.reduce(sum) { $0 + $1.utf8.count }
            case .object(let json): sum + json.count
            case .integer, .flag: sum
            }
        }
    }

    public var channelURL: ChannelURL { ChannelURL(text("channel_url") ?? "") }
    public var messageID: MessageID { MessageID(text("message_id") ?? "") }
}
