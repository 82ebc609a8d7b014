import Glibc
import SyncSQLite

/// An empty file beside `intents.db` that says that intents were written there.
///
/// An intents file that lost its content looks like a new one. `cache.db` cannot remember the difference: it may be set
/// aside at the same opening, for the same reason.
struct IntentMark {
    private let path: String
    private let directory: String

    init(directory: String) {
        self.directory = directory
        path = directory + "/intents.used"
    }

    var isSet: Bool { access(path, F_OK) == 0 }

    /// Makes the mark, on disk when this returns.
    func set() throws(StoreError) {
        try DataDirectory.make(path)
        try DataDirectory.sync(directory)
    }
}
