/// What happened to a window, as positions in the order in which a host applies them.
public struct WindowChange: Equatable, Sendable {
    public enum Kind: String, Sendable { case insert, update, move, remove, clear }

    public struct Item: Equatable, Sendable {
        /// Where to take the element out; only for moves.
        public var from: Int
        /// Where it is, or where to put it in.
        public var index: Int
        /// A channel's URL, a message's id, the request id of an own message, or the key of a stream's row.
        public var id: String
        /// The element's JSON; empty for removals.
        public var json: [UInt8]

        public init(from: Int = -1, index: Int, id: String, json: [UInt8] = []) {
            self.from = from
            self.index = index
            self.id = id
            self.json = json
        }
    }

    public var action: Kind
    public var items: [Item]

    public init(_ action: Kind, _ items: [Item]) {
        self.action = action
        self.items = items
    }
}
