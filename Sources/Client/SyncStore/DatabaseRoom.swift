/// How much of a cache the values of realtime databases take.
struct DatabaseRoom: Equatable {
    var values: Int
    /// Of their JSON.
    var bytes: Int
}
