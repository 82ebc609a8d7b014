import ServerBase
import SyncJSON

/// Users who block others.
public struct BlockRules: ChatRules {
    let chat: Chat

    public func block(_ blockerID: String, _ blockeeID: String, blocks: Bool) throws -> UserRow {
        let blocker = try activeUser(blockerID)
        guard let blockee = try storage.users.user(blockeeID) else { throw Refusal.noUser() }
        let now = now
        try change { broadcasts in
            if blocks {
                try storage.blocks.block(blockerID, blockeeID)
            } else {
                try storage.blocks.unblock(blockerID, blockeeID)
            }
            let event = JSON.object([
                "cat": blocks ? 20001 : 20000, "ts": .int(now),
                "data": .object([
                    "blocker": SocketDialect.user(blocker.json), "blockee": SocketDialect.user(blockee.json),
                ]),
            ])
            broadcasts.append(Broadcast(frame: Frames.frame("USEV", event), users: [blockerID, blockeeID]))
        }
        return blockee
    }
}

extension Chat {
    public var blocks: BlockRules { BlockRules(chat: self) }
}
