import CLinux

/// Lines for whoever runs the server, on standard error.
public enum Log {
    public static func line(_ text: String) { _ = shim_write_stderr("syncmanager-server: \(text)\n") }

    public static func failure(_ what: String, _ error: any Error) { line("\(what): \(error)") }
}
