import SyncSQLite

/// The last known values of places of realtime databases, for reading without a network.
///
/// When the value of a whole place is kept, the rows within it are dropped. So of two rows that have a value of the
/// same place, the one with the longer path is newer.
public final class DatabaseValueStore {
    private let connection: Connection
    private let counts: ChannelCounts
    /// How much the values take. Emptied when a transaction is rolled back, since its changes are not in the file.
    private var storedRoom: DatabaseRoom?
    /// Bounds of the values: the bytes of their JSON together, and their number.
    var bytesLimit = 4 * DatabaseValueStore.limit
    var valuesLimit = 1000

    /// The most bytes of a kept value.
    public static let limit = 4 << 20
    private static let useLimit: Int64 = 1 << 62

    init(_ connection: Connection, _ counts: ChannelCounts) {
        self.connection = connection
        self.counts = counts
    }

    /// A transaction was rolled back.
    func rolledBack() { storedRoom = nil }

    private func transaction(_ body: () throws(StoreError) -> Void) throws(StoreError) {
        do throws(StoreError) {
            try counts.transaction(body)
        } catch {
            rolledBack()
            throw error
        }
    }

    /// The kept value of a place; `nil` when there is none.
    public func value(at place: DatabasePlace) throws(StoreError) -> [UInt8]? {
        let row = try connection.prepare("""
            SELECT checksum, size, json FROM database_value WHERE url = ? AND name = ? AND path = ? AND query = ?
            """).bind(place)
        defer { row.reset() }
        guard try row.next() else { return nil }
        let json = row.bytes(2)
        guard row.int(0) == DatabaseValueStore.checksum(place, size: row.int(1), json) else {
            throw connection.damage("the value at \(place.path) does not match its checksum")
        }
        return json
    }

    private static func checksum(_ place: DatabasePlace, size: Int64, _ json: [UInt8]) -> Int64 {
        var checksum = RowChecksum()
        for text in [place.instance.url, place.instance.name, place.path, place.query] { checksum.add(text) }
        checksum.add(size)
        checksum.add(json)
        return checksum.value
    }

    /// The bytes of a value, from a column of its row, so that the JSON need not be read.
    private func size(_ row: Statement, _ column: Int32) throws(StoreError) -> Int {
        Int(clamping: try row.int(column, in: 0...Int64(DatabaseValueStore.limit)))
    }

    /// The places of a database with a kept value that are equal to a path, within it or around it.
    public func places(
        in instance: DatabaseInstance, touching path: String
    ) throws(StoreError) -> [DatabasePlace] {
        var places: [DatabasePlace] = []
        for outer in DatabaseValueStore.pathsAround(path) {
            let row = try connection.prepare("""
                SELECT query FROM database_value WHERE url = ? AND name = ? AND path = ? ORDER BY query
                """).bind(instance.url).bind(instance.name).bind(outer)
            defer { row.reset() }
            while try row.next() { places.append(DatabasePlace(instance, path: outer, query: row.text(0))) }
        }
        let (start, end) = DatabaseValueStore.rangeWithin(path)
        let row = try connection.prepare("""
            SELECT path, query FROM database_value WHERE url = ? AND name = ? AND path > ? AND path < ?
            ORDER BY path, query
            """).bind(instance.url).bind(instance.name).bind(start).bind(end)
        defer { row.reset() }
        while try row.next() { places.append(DatabasePlace(instance, path: row.text(0), query: row.text(1))) }
        return places
    }

    /// Keeps the value of a place. When the bounds are exceeded, the values that were used longest ago are removed. A
    /// value that alone would take a quarter of the bound is not kept, and the old value of its place is dropped.
    ///
    /// - Parameter isChange: the value is the kept one with a change; then values that are kept within the place stay.
    public func keep(
        _ json: [UInt8], at place: DatabasePlace, isChange: Bool = false
    ) throws(StoreError) {
        try transaction { () throws(StoreError) in
            guard json.count <= min(bytesLimit / 4, DatabaseValueStore.limit) else {
                return try drop(at: place)
            }
            if !isChange, place.query.isEmpty { try dropParts(of: place) }
            let row = try connection.prepare("""
                SELECT key, size, checksum, json FROM database_value
                WHERE url = ? AND name = ? AND path = ? AND query = ?
                """).bind(place)
            defer { row.reset() }
            let newSize = Int64(json.count)
            let checksum = DatabaseValueStore.checksum(place, size: newSize, json)
            guard try row.next() else {
                let room = try self.room()
                try connection.prepare("""
                    INSERT INTO database_value (url, name, path, query, used, size, checksum, json)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                    """)
                    .bind(place).bind(try nextUse()).bind(newSize).run(withChecksum: checksum, text: json)
                storedRoom = DatabaseRoom(values: room.values + 1, bytes: room.bytes + json.count)
                return try makeRoom()
            }
            let (key, size) = (row.int(0), try size(row, 1))
            let isSame = row.int(1) == newSize && row.int(2) == checksum && row.holds(json, at: 3)
            row.reset()
            if isSame { return try use(key) }
            let room = try self.room()
            try connection.prepare("UPDATE database_value SET used = ?, size = ?, checksum = ?, json = ? WHERE key = ?")
                .bind(try nextUse()).bind(newSize).run(withChecksum: checksum, text: json, key)
            storedRoom = DatabaseRoom(values: room.values, bytes: room.bytes - size + json.count)
            try makeRoom()
        }
    }

    /// Notes that a place was read, so that others are removed before it.
    public func use(at place: DatabasePlace) throws(StoreError) {
        let row = try connection.prepare("""
            SELECT key FROM database_value WHERE url = ? AND name = ? AND path = ? AND query = ?
            """).bind(place)
        defer { row.reset() }
        guard try row.next() else { return }
        let key = row.int(0)
        row.reset()
        try transaction { () throws(StoreError) in try use(key) }
    }

    /// Forgets the value of a place; for a whole place also those within it, which may be older. A place without a
    /// value is ignored.
    public func drop(at place: DatabasePlace) throws(StoreError) {
        try transaction { () throws(StoreError) in
            storedRoom = nil
            if place.query.isEmpty { try dropParts(of: place) }
            try connection.prepare("""
                DELETE FROM database_value WHERE url = ? AND name = ? AND path = ? AND query = ?
                """).bind(place).run()
        }
    }

    /// Forgets the values of all places of all databases.
    public func clear() throws(StoreError) {
        try transaction { () throws(StoreError) in
            storedRoom = nil
            try connection.prepare("DELETE FROM database_value").run()
        }
    }

    /// Forgets the parts of a place, by queries and by paths within it.
    private func dropParts(of place: DatabasePlace) throws(StoreError) {
        let (start, end) = DatabaseValueStore.rangeWithin(place.path)
        try connection.prepare("""
            DELETE FROM database_value WHERE url = ? AND name = ? AND path > ? AND path < ?
            """).bind(place.instance.url).bind(place.instance.name).bind(start).bind(end).run()
        let within = connection.changes
        try connection.prepare("""
            DELETE FROM database_value WHERE url = ? AND name = ? AND path = ? AND query > ''
            """).bind(place.instance.url).bind(place.instance.name).bind(place.path).run()
        if within > 0 || connection.changes > 0 { storedRoom = nil }
    }

    // MARK: Bounds

    private func use(_ key: Int64) throws(StoreError) {
        let next = try nextUse()
        // The place that was used last already is not written again.
        try connection.prepare("UPDATE database_value SET used = ? WHERE key = ? AND used < ?")
            .bind(next).bind(key).bind(next &- 1).run()
    }

    private func nextUse() throws(StoreError) -> Int64 {
        let row = try connection.prepare("SELECT max(used) FROM database_value")
        defer { row.reset() }
        let last = try row.next() ? row.int(0) : 0
        guard last >= DatabaseValueStore.useLimit else { return max(0, last) + 1 }
        // No count gets that far, so the row is damaged; only the order in which values are removed is lost.
        row.reset()
        try connection.prepare("UPDATE database_value SET used = 0").run()
        return 1
    }

    /// How much the values take, counted once.
    private func room() throws(StoreError) -> DatabaseRoom {
        if let storedRoom { return storedRoom }
        let row = try connection.prepare("SELECT size FROM database_value ORDER BY used")
        defer { row.reset() }
        var room = DatabaseRoom(values: 0, bytes: 0)
        while try row.next() {
            room.values += 1
            room.bytes += try size(row, 0)
        }
        storedRoom = room
        return room
    }

    private func makeRoom() throws(StoreError) {
        var room = try self.room()
        while room.values > valuesLimit || room.bytes > bytesLimit {
            let row = try connection.prepare("SELECT key, size FROM database_value ORDER BY used LIMIT 1")
            defer { row.reset() }
            guard try row.next() else { break }
            let (key, size) = (row.int(0), try size(row, 1))
            row.reset()
            try connection.prepare("DELETE FROM database_value WHERE key = ?").bind(key).run()
            room = DatabaseRoom(values: room.values - 1, bytes: room.bytes - size)
        }
        storedRoom = room
    }

    // MARK: Paths

    /// A path and those around it, from the root on.
    private static func pathsAround(_ path: String) -> [String] {
        var paths = ["/"]
        var outer = ""
        // By bytes: a key may begin with a character that combines with the slash.
        for key in path.utf8.split(separator: UInt8(ascii: "/")) {
            outer += "/" + String(Substring(key))
            paths.append(outer)
        }
        return paths
    }

    /// The range of texts in which the paths within a path are: "0" is the character after the slash.
    private static func rangeWithin(_ path: String) -> (start: String, end: String) {
        path == "/" ? ("/", "0") : (path + "/", path + "0")
    }
}

extension Statement {
    @discardableResult
    fileprivate func bind(_ place: DatabasePlace) -> Statement {
        bind(place.instance.url).bind(place.instance.name).bind(place.path).bind(place.query)
    }
}
