/// How many values of realtime databases are in the cache, and their bytes.
struct DatabaseRoom: Equatable {
    var values: Int
    /// The bytes of their JSON.
    var bytes: Int
}
