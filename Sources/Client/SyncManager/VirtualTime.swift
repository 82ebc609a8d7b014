/// Time that passes only when a host asks for it or waits, and who runs the engines of clients then. Such clients have
/// no engine thread.
package protocol VirtualTime: AnyObject, Sendable {
    /// A client was made; its engine is run from now on.
    func begin(_ engine: any SteppedEngine, over transport: any ClientTransport)
    /// A command was left in a client's inbox: runs its engine until nothing waits.
    func run(_ engine: any SteppedEngine)
    /// Lets the time pass until something happens anywhere, or until `deadline`, by the clock that never jumps.
    func pass(until deadline: Int64)
    /// The client closes: completes its calls.
    func finish(_ engine: any SteppedEngine)
    /// The client ends without closing, as a process that is killed.
    func kill(_ engine: any SteppedEngine)
}

/// An engine that is run by who lets the time pass, one thread at a time.
package protocol SteppedEngine: AnyObject {
    /// Processes all that waits and all that is due.
    func runPending()
    /// When there is work without a further input.
    var nextDeadline: Int64? { get }
    /// How many times it has told the host something.
    var tellings: UInt64 { get }
    /// Ends the work when the client closes: every call gets its result.
    func finish()
}
