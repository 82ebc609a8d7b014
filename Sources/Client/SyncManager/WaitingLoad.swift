/// The slots that waiting commands or calls take, and the bytes of their texts.
struct WaitingLoad {
    var slots = 0
    var bytes = 0
}
