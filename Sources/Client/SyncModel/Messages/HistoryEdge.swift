/// An end of a stretch of a channel's history, with what the service needs to go on from there.
public struct HistoryEdge: Equatable, Hashable, Sendable {
    public var position: MessagePosition
    /// The service's own continuation, opaque to everybody else; empty where the position says all.
    public var token: String

    public init(_ position: MessagePosition, token: String = "") {
        self.position = position
        self.token = token
    }
}
