/// All open sockets, by user.
final class SocketHub {
    let loop: EventLoop
    /// What a socket does with a received text. Set once by the server.
    var onText: ([UInt8], ChatSocket) -> Void = { _, _ in }
    var onClose: (ChatSocket) -> Void = { _ in }
    /// Scratch space for reading.
    var input = [UInt8](repeating: 0, count: 64 << 10)

    private var sockets: [ObjectIdentifier: ChatSocket] = [:]
    private var byUser: [String: [ChatSocket]] = [:]
    private var dirty: [ObjectIdentifier: ChatSocket] = [:]

    init(loop: EventLoop) { self.loop = loop }

    var count: Int { sockets.count }
    var all: [ChatSocket] { Array(sockets.values) }

    func sockets(of userID: String) -> [ChatSocket] { byUser[userID] ?? [] }
    func isOnline(_ userID: String) -> Bool { byUser[userID] != nil }

    /// Keeps a socket from now on.
    func adopt(_ socket: ChatSocket) { sockets[ObjectIdentifier(socket)] = socket }

    /// The socket's user has logged in: it takes part in broadcasts.
    func loggedIn(_ socket: ChatSocket) { byUser[socket.userID, default: []].append(socket) }

    func closed(_ socket: ChatSocket) {
        dirty[ObjectIdentifier(socket)] = nil
        guard sockets.removeValue(forKey: ObjectIdentifier(socket)) != nil else { return }
        if var rest = byUser[socket.userID] {
            rest.removeAll { $0 === socket }
            byUser[socket.userID] = rest.isEmpty ? nil : rest
        }
        onClose(socket)
    }

    func received(_ text: [UInt8], _ socket: ChatSocket) { onText(text, socket) }

    /// Sends to all sockets of these users, but not to `except`.
    func send(_ frame: [UInt8], to users: [String], except: ChatSocket? = nil) {
        // With few sockets and many members it is quicker to go by sockets.
        if users.count > byUser.count * 4 {
            let wanted = Set(users)
            for (user, list) in byUser where wanted.contains(user) {
                for socket in list where socket !== except { socket.send(frame) }
            }
            return
        }
        for user in users {
            for socket in byUser[user] ?? [] where socket !== except { socket.send(frame) }
        }
    }

    func flushLater(_ socket: ChatSocket) { dirty[ObjectIdentifier(socket)] = socket }

    /// Writes what this round has queued.
    func flush() {
        while !dirty.isEmpty {
            let round = dirty
            dirty = [:]
            for socket in round.values { socket.flush() }
        }
    }

    /// Pings sockets that have said nothing for a while, and drops those that still say nothing after a long while.
    func sweep(pingAfter: Int64, dropAfter: Int64) {
        for socket in all where socket.isSilent(for: pingAfter) {
            if socket.isSilent(for: dropAfter) { socket.close() } else { socket.ping() }
        }
    }
}
