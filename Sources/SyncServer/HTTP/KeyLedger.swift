/// Which keys of a body somebody asked for. What nobody asked for had no effect, and its sender should hear of it.
final class KeyLedger {
    private(set) var keys: Set<String> = []

    func note(_ key: String) { keys.insert(key) }
}
