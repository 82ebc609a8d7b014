/// What a realtime database last told of places, for reading without a network.
///
/// A value that is kept of a whole place has all that lies within it, so what was kept there before is dropped. Of two
/// rows that speak of one place, the one with the longer path is therefore the newer one.
extension CacheStore {
    /// Bytes. No value that is kept is larger, in whatever file.
    public static let databaseValueLimit = 4 << 20
    private static let databaseUseLimit: Int64 = 1 << 62

    /// What is kept of a place; `nil` when nothing is.
    public func databaseValue(at place: DatabasePlace) throws(StoreError) -> [UInt8]? {
        let row = try database.prepare("""
            SELECT checksum, size, json FROM database_value WHERE url = ? AND name = ? AND path = ? AND query = ?
            """).bind(place)
        defer { row.reset() }
        guard try row.next() else { return nil }
        let json = row.bytes(2)
        guard row.int(0) == CacheStore.checksum(place, size: row.int(1), json) else {
            throw database.damage("the value at \(place.path) does not match its checksum")
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

    /// Bytes that a value takes, as its row says without its JSON being read.
    private func size(_ row: Statement, _ column: Int32) throws(StoreError) -> Int {
        Int(clamping: try row.int(column, in: 0...Int64(CacheStore.databaseValueLimit)))
    }

    /// The places of a database of which something is kept and that are a path, lie within it or around it.
    public func databasePlaces(
        in instance: DatabaseInstance, touching path: String
    ) throws(StoreError) -> [DatabasePlace] {
        var places: [DatabasePlace] = []
        for outer in CacheStore.pathsAround(path) {
            let row = try database.prepare("""
                SELECT query FROM database_value WHERE url = ? AND name = ? AND path = ? ORDER BY query
                """).bind(instance.url).bind(instance.name).bind(outer)
            defer { row.reset() }
            while try row.next() { places.append(DatabasePlace(instance, path: outer, query: row.text(0))) }
        }
        let (start, end) = CacheStore.rangeWithin(path)
        let row = try database.prepare("""
            SELECT path, query FROM database_value WHERE url = ? AND name = ? AND path > ? AND path < ?
            ORDER BY path, query
            """).bind(instance.url).bind(instance.name).bind(start).bind(end)
        defer { row.reset() }
        while try row.next() { places.append(DatabasePlace(instance, path: row.text(0), query: row.text(1))) }
        return places
    }

    /// Keeps what the service told of a place. What was used longest ago goes when there is too much; a value that
    /// alone would take a quarter of the room is not kept, and what was kept of its place is dropped.
    ///
    /// - Parameter isChange: the value is what was kept, changed: values that are kept within the place stay.
    public func keepDatabaseValue(
        _ json: [UInt8], at place: DatabasePlace, isChange: Bool = false
    ) throws(StoreError) {
        try transaction { () throws(StoreError) in
            guard json.count <= min(databaseBytesLimit / 4, CacheStore.databaseValueLimit) else {
                return try dropDatabaseValue(at: place)
            }
            if !isChange, place.query.isEmpty { try dropDatabaseValues(within: place) }
            let row = try database.prepare("""
                SELECT key, size, checksum, json FROM database_value
                WHERE url = ? AND name = ? AND path = ? AND query = ?
                """).bind(place)
            defer { row.reset() }
            let newSize = Int64(json.count)
            let checksum = CacheStore.checksum(place, size: newSize, json)
            guard try row.next() else {
                let room = try databaseRoom()
                try database.prepare("""
                    INSERT INTO database_value (url, name, path, query, used, size, checksum, json)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                    """)
                    .bind(place).bind(try nextDatabaseUse()).bind(newSize).run(withChecksum: checksum, text: json)
                storedDatabaseRoom = DatabaseRoom(values: room.values + 1, bytes: room.bytes + json.count)
                return try makeDatabaseRoom()
            }
            let (key, size) = (row.int(0), try size(row, 1))
            let isSame = row.int(1) == newSize && row.int(2) == checksum && row.holds(json, at: 3)
            row.reset()
            if isSame { return try use(key) }
            let room = try databaseRoom()
            try database.prepare("UPDATE database_value SET used = ?, size = ?, checksum = ?, json = ? WHERE key = ?")
                .bind(try nextDatabaseUse()).bind(newSize).run(withChecksum: checksum, text: json, key)
            storedDatabaseRoom = DatabaseRoom(values: room.values, bytes: room.bytes - size + json.count)
            try makeDatabaseRoom()
        }
    }

    /// A place was read: others go before it.
    public func useDatabaseValue(at place: DatabasePlace) throws(StoreError) {
        let row = try database.prepare("""
            SELECT key FROM database_value WHERE url = ? AND name = ? AND path = ? AND query = ?
            """).bind(place)
        defer { row.reset() }
        guard try row.next() else { return }
        let key = row.int(0)
        row.reset()
        try transaction { () throws(StoreError) in try use(key) }
    }

    /// Forgets what is kept of a place, of a whole one with what is kept within it: that may be older. One of which
    /// nothing is kept does no harm.
    public func dropDatabaseValue(at place: DatabasePlace) throws(StoreError) {
        try transaction { () throws(StoreError) in
            storedDatabaseRoom = nil
            if place.query.isEmpty { try dropDatabaseValues(within: place) }
            try database.prepare("""
                DELETE FROM database_value WHERE url = ? AND name = ? AND path = ? AND query = ?
                """).bind(place).run()
        }
    }

    /// Forgets what is kept of all places of all databases.
    public func clearDatabaseValues() throws(StoreError) {
        try transaction { () throws(StoreError) in
            storedDatabaseRoom = nil
            try database.prepare("DELETE FROM database_value").run()
        }
    }

    /// Forgets the parts of a place, by queries and by paths within it.
    private func dropDatabaseValues(within place: DatabasePlace) throws(StoreError) {
        let (start, end) = CacheStore.rangeWithin(place.path)
        try database.prepare("""
            DELETE FROM database_value WHERE url = ? AND name = ? AND path > ? AND path < ?
            """).bind(place.instance.url).bind(place.instance.name).bind(start).bind(end).run()
        let within = database.changes
        try database.prepare("""
            DELETE FROM database_value WHERE url = ? AND name = ? AND path = ? AND query > ''
            """).bind(place.instance.url).bind(place.instance.name).bind(place.path).run()
        if within > 0 || database.changes > 0 { storedDatabaseRoom = nil }
    }

    // MARK: Bounds

    private func use(_ key: Int64) throws(StoreError) {
        let next = try nextDatabaseUse()
        // What was used last already stays as it is: nothing is written.
        try database.prepare("UPDATE database_value SET used = ? WHERE key = ? AND used < ?")
            .bind(next).bind(key).bind(next &- 1).run()
    }

    private func nextDatabaseUse() throws(StoreError) -> Int64 {
        let row = try database.prepare("SELECT max(used) FROM database_value")
        defer { row.reset() }
        let last = try row.next() ? row.int(0) : 0
        guard last >= CacheStore.databaseUseLimit else { return max(0, last) + 1 }
        // Nobody counts that far: it is damage, by which only the order is lost in which values go.
        row.reset()
        try database.prepare("UPDATE database_value SET used = 0").run()
        return 1
    }

    /// What the values take, counted once.
    private func databaseRoom() throws(StoreError) -> DatabaseRoom {
        if let storedDatabaseRoom { return storedDatabaseRoom }
        let row = try database.prepare("SELECT size FROM database_value ORDER BY used")
        defer { row.reset() }
        var room = DatabaseRoom(values: 0, bytes: 0)
        while try row.next() {
            room.values += 1
            room.bytes += try size(row, 0)
        }
        storedDatabaseRoom = room
        return room
    }

    private func makeDatabaseRoom() throws(StoreError) {
        var room = try databaseRoom()
        while room.values > databaseValuesLimit || room.bytes > databaseBytesLimit {
            let row = try database.prepare("SELECT key, size FROM database_value ORDER BY used LIMIT 1")
            defer { row.reset() }
            guard try row.next() else { break }
            let (key, size) = (row.int(0), try size(row, 1))
            row.reset()
            try database.prepare("DELETE FROM database_value WHERE key = ?").bind(key).run()
            room = DatabaseRoom(values: room.values - 1, bytes: room.bytes - size)
        }
        storedDatabaseRoom = room
    }

    // MARK: Paths

    /// A path and those around it, from the root on.
    private static func pathsAround(_ path: String) -> [String] {
        var paths = ["/"]
        var outer = ""
        // By bytes: a key may begin with what joins the slash to one character.
        for key in path.utf8.split(separator: UInt8(ascii: "/")) {
            outer += "/" + String(Substring(key))
            paths.append(outer)
        }
        return paths
    }

    /// Between which texts the paths within a path lie: "0" is behind the slash.
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
