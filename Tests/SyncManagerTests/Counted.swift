@testable import SyncManager

/// A listener's context that counts how often the listener was ended.
final class Counted: Sendable {
    private let count = Locked(0)

    var ends: Int { count.get() }

    /// A listener over this context. The test keeps `self` alive for as long as the listener may be ended.
    func listener() -> Listener {
        Listener(
            userData: Unmanaged.passUnretained(self).toOpaque(),
            destroy: { context in
                guard let context else { return }
                Unmanaged<Counted>.fromOpaque(context).takeUnretainedValue().count.update { $0 + 1 }
            })
    }
}
