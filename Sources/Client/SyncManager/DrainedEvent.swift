import SyncEngine
import SyncJSON

/// An event that was drained, and the listeners for it.
struct DrainedEvent {
    let event: TakenEvent
    /// For a result: the listener of its call.
    let caller: Listener?
    /// The listener for all that no call's listener takes.
    let target: Listener

    /// Calls the host. A result of a call without a callback goes to the listener for events.
    func deliver() {
        var text = EventText.text(of: event)
        text.withText { text, count in
            if case .completion(let completion) = event.output, let result = caller?.result {
                result(caller?.userData, completion.status.rawValue, text, count)
            } else {
                target.event?(target.userData, text, count)
            }
        }
    }
}
