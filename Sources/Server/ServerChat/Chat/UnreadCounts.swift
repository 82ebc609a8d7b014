import ServerBase
import SyncJSON

/// Tells users how many messages wait for them.
public struct UnreadCounts {
    private let storage: Storage
    private let hub: SocketHub
    private let now: Int64

    init(_ storage: Storage, _ hub: SocketHub, at now: Int64) {
        self.storage = storage
        self.hub = hub
        self.now = now
    }

    /// A user's unread counts of all channels, in the shape in which commands carry them.
    public func counts(of userID: String) throws -> JSON {
        document(try storage.totals.total(of: userID))
    }

    private func document(_ total: UnreadTotals.Total) -> JSON {
        let types = JSON.object()
        // Types with nothing unread too: a client may hold an older number.
        for part in total.parts { types.set(part.type, .int(part.count)) }
        return .object(["all": .int(total.all), "feed": 0, "custom_types": types, "ts": .int(now)])
    }

    /// A frame to which a user's unread counts are added.
    public func adding(to frame: [UInt8], of userID: String) -> [UInt8] {
        do {
            return Frames.adding("unread_cnt", try counts(of: userID).serialized(), to: frame)
        } catch {
            Log.failure("unread messages could not be counted", error)
            return frame
        }
    }

    /// Sends a broadcast to each user together with the user's unread counts.
    public func send(_ broadcast: Broadcast) {
        // Most members of a busy channel have the same total, and one frame will do for them.
        var last: (total: UnreadTotals.Total, frame: [UInt8])?
        for user in broadcast.users {
            let sockets = hub.sockets(of: user)
            if sockets.isEmpty { continue }
            var frame = broadcast.frame
            do {
                let total = try storage.totals.total(of: user)
                if let last, last.total == total {
                    frame = last.frame
                } else {
                    frame = Frames.adding("unread_cnt", document(total).serialized(), to: frame)
                    last = (total, frame)
                }
            } catch {
                Log.failure("unread messages could not be counted", error)
            }
            for socket in sockets where socket !== broadcast.except { socket.send(frame) }
        }
    }
}
