import SyncBytes

/// Which users block which others.
public struct BlockTable: StorageTable {
    let storage: Storage

    public func block(_ blocker: String, _ blockee: String) throws {
        storage.hasBlocks = true
        try connection.prepare("INSERT OR IGNORE INTO blocks (blocker, blockee) VALUES (?, ?)").bind(blocker).bind(
            blockee
        ).run()
    }

    public func unblock(_ blocker: String, _ blockee: String) throws {
        try connection.prepare("DELETE FROM blocks WHERE blocker = ? AND blockee = ?").bind(blocker).bind(blockee).run()
    }

    /// Whom a user blocks, and by whom the user is blocked.
    public func list(of userID: String) throws -> (blocking: TextSet, blockedBy: TextSet) {
        let blocking = try connection.prepare("SELECT blockee FROM blocks WHERE blocker = ?").bind(userID).all {
            $0.text(0)
        }
        let blockedBy = try connection.prepare("SELECT blocker FROM blocks WHERE blockee = ?").bind(userID).all {
            $0.text(0)
        }
        return (TextSet(blocking), TextSet(blockedBy))
    }
}

extension Storage {
    public var blocks: BlockTable { BlockTable(storage: self) }
}
