/// What waits for the engine or for the host takes slots, and memory for its texts.
struct WaitingLoad {
    var slots = 0
    var bytes = 0
}
