import ServerBase
import SyncBytes

/// All open sockets, by user.
public final class SocketHub {
    public let clock: Clock
    public let timers: TimerQueue
    /// What a socket does with a received text. Set once by the server.
    public var onText: ([UInt8], ChatSocket) -> Void = { _, _ in }
    public var onClose: (ChatSocket) -> Void = { _ in }

    private var sockets: [Int: ChatSocket] = [:]
    private var byUser: TextMap<[ChatSocket]> = [:]
    private var lastNumber = 0

    public init(clock: Clock, timers: TimerQueue) {
        self.clock = clock
        self.timers = timers
    }

    /// In the order of opening.
    public var all: [ChatSocket] { sockets.values.sorted { $0.number < $1.number } }

    public func sockets(of userID: String) -> [ChatSocket] { byUser[userID] ?? [] }
    public func isOnline(_ userID: String) -> Bool { byUser[userID] != nil }

    /// When the next socket has to be told that its session key ran out.
    public var nextKeyExpiry: Int64? { sockets.values.lazy.map(\.keyExpiresAt).filter { $0 > 0 }.min() }

    /// Makes a socket of a link and keeps it until it closes.
    public func adopt(_ link: any SocketLink, userID: String) -> ChatSocket {
        lastNumber += 1
        let socket = ChatSocket(link: link, userID: userID, number: lastNumber, hub: self)
        sockets[lastNumber] = socket
        return socket
    }

    /// The socket's user has logged in: it takes part in broadcasts.
    public func loggedIn(_ socket: ChatSocket) { byUser[socket.userID, default: []].append(socket) }

    public func closed(_ socket: ChatSocket) {
        guard sockets.removeValue(forKey: socket.number) != nil else { return }
        if var rest = byUser[socket.userID] {
            rest.removeAll { $0 === socket }
            byUser[socket.userID] = rest.isEmpty ? nil : rest
        }
        onClose(socket)
    }

    /// Sends to all sockets of these users, but not to `except`.
    public func send(_ frame: [UInt8], to users: [String], except: ChatSocket? = nil) {
        for user in users {
            for socket in byUser[user] ?? [] where socket !== except { socket.send(frame) }
        }
    }

    /// Pings sockets that have said nothing for a while, and drops those that still say nothing after a long while.
    public func sweep(pingAfter: Int64, dropAfter: Int64) {
        for socket in all where socket.isSilent(for: pingAfter) {
            if socket.isSilent(for: dropAfter) { socket.close() } else { socket.ping() }
        }
    }
}
