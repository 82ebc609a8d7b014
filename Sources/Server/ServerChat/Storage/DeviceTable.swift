/// The devices that users registered for pushes.
public struct DeviceTable: StorageTable {
    let storage: Storage

    /// A device belongs to whoever registered it last.
    public func register(_ type: String, _ token: String, _ userID: String) throws {
        try connection.prepare("INSERT OR REPLACE INTO devices (type, token, user_id) VALUES (?, ?, ?)")
            .bind(type).bind(token).bind(userID).run()
    }

    public func remove(_ type: String, _ token: String) throws {
        try connection.prepare("DELETE FROM devices WHERE type = ? AND token = ?").bind(type).bind(token).run()
    }

    public func owner(_ type: String, _ token: String) throws -> String? {
        try connection.prepare("SELECT user_id FROM devices WHERE type = ? AND token = ?").bind(type).bind(token)
            .first { $0.text(0) }
    }

    /// A user's devices, of one type or all.
    public func list(of userID: String, type: String? = nil) throws -> [(type: String, token: String)] {
        try connection.prepare(
            "SELECT type, token FROM devices WHERE user_id = ? AND (? = '' OR type = ?) ORDER BY type, token"
        ).bind(userID).bind(type ?? "").bind(type ?? "").all { ($0.text(0), $0.text(1)) }
    }
}

extension Storage {
    public var devices: DeviceTable { DeviceTable(storage: self) }
}
