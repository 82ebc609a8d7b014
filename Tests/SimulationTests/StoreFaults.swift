@testable import SyncStore

/// What goes wrong between two statements of the stores: one fails, some fail, or the process dies.
final class StoreFaults {
    private enum Plan {
        case none
        /// The statement after so many others fails, and `count - 1` behind it.
        case failing(after: Int, count: Int, StoreError)
        case dying(after: Int)
    }

    private var plan = Plan.none
    /// The process died: nothing is written any more, and nothing it says is heard.
    private(set) var isDead = false
    /// The statement at which it happened, for the history.
    private(set) var place = ""
    private(set) var statements = 0

    func fail(after statements: Int, count: Int, _ error: StoreError) {
        plan = .failing(after: statements, count: count, error)
    }

    func die(after statements: Int) { plan = .dying(after: statements) }

    /// What was planned and has not happened does not happen any more.
    func clear() { plan = .none }

    func install(in cache: CacheStore, _ intents: IntentStore) {
        cache.setStatementHook { [self] sql throws(StoreError) in try check(sql) }
        intents.setStatementHook { [self] sql throws(StoreError) in try check(sql) }
        cache.setCommitHook { [self] () throws(StoreError) in try check("COMMIT of the cache") }
        intents.setCommitHook { [self] () throws(StoreError) in try check("COMMIT of the intents") }
    }

    private func check(_ sql: String) throws(StoreError) {
        statements += 1
        let dead = StoreError.failed(code: 10, message: "the process is dead")
        if isDead { throw dead }
        switch plan {
        case .none: return
        case .dying(let after):
            plan = .dying(after: after - 1)
            guard after <= 0 else { return }
            isDead = true
            place = String(sql.prefix(60))
            throw dead
        case .failing(let after, let count, let error):
            guard after <= 0 else {
                plan = .failing(after: after - 1, count: count, error)
                return
            }
            plan = count > 1 ? .failing(after: 0, count: count - 1, error) : .none
            place = String(sql.prefix(60))
            throw error
        }
    }
}
