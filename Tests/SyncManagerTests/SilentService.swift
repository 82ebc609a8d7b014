import SyncModel

/// A chat service that is asked and answers nothing.
final class SilentService: ChatService {
    var onConnect: () -> Void = {}

    let capabilities = ServiceCapabilities()
    let rules: any ServiceRules = SilentRules()
    var nextDeadline: Int64? { nil }

    func connect(_ start: SessionStart, now: Moment) { onConnect() }
    func disconnect(now: Moment) {}
    func ask(_ request: ServiceRequest, id: UInt64, timeout: Int64, now: Moment) {}
    func receive(_ input: TransportInput, now: Moment) {}
    func advance(now: Moment) {}
    func takeOutputs() -> [ServiceOutput] { [] }
}
