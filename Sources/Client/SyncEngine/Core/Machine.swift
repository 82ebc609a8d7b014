import SyncModel

/// A part of the engine's state, which only the machine itself writes. It takes each of its inputs with a `Turn`.
///
/// Inputs that concern all machines come to each of them by these functions; a machine that is not concerned leaves out
/// the function.
protocol Machine: AnyObject {
    /// Nobody waits for this call any more: it was canceled, or it timed out. Returns whether the call was this
    /// machine's.
    func cancel(_ call: CallID, _ status: Status, _ turn: inout Turn) -> Bool
    /// Everything that depends on the session ends.
    func sessionEnded(_ turn: inout Turn)
    /// The client closes: calls that are still open are completed.
    func end(_ turn: inout Turn)
}

extension Machine {
    func cancel(_ call: CallID, _ status: Status, _ turn: inout Turn) -> Bool { false }
    func sessionEnded(_ turn: inout Turn) {}
    func end(_ turn: inout Turn) {}
}
