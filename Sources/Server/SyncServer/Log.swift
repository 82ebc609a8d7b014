import CLinux

/// Lines for whoever runs the server, on standard error.
enum Log {
    static func line(_ text: String) { _ = shim_write_stderr("syncmanager-server: \(text)\n") }

    static func failure(_ what: String, _ error: any Error) { line("\(what): \(describe(error))") }

    static func describe(_ error: any Error) -> String {
        switch error {
        case let error as DatabaseError: "SQLite: \(error.message) (\(error.code))"
        case let error as APIError: "\(error.message) (\(error.code))"
        default: "\(error)"
        }
    }
}
