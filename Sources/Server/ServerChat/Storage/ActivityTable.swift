/// On which days users were there.
public struct ActivityTable: StorageTable {
    let storage: Storage

    /// Milliseconds of a day.
    public static let day: Int64 = 86_400_000

    public func note(_ userID: String, at now: Int64) throws {
        let day = now / ActivityTable.day
        try connection.prepare("INSERT OR IGNORE INTO activity (day, user_id) VALUES (?, ?)").bind(day).bind(userID)
            .run()
    }

    /// How many users were there on the days from one to another, both included.
    public func activeUsers(from first: Int64, to last: Int64) throws -> Int64 {
        try connection.prepare("SELECT count(DISTINCT user_id) FROM activity WHERE day BETWEEN ? AND ?")
            .bind(first).bind(last).first { $0.int(0) } ?? 0
    }
}

extension Storage {
    public var activity: ActivityTable { ActivityTable(storage: self) }
}
