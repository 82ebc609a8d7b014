import SyncEngine
import SyncJSON

/// An event in the hands of the draining thread, and who hears it.
struct DrainedEvent {
    let event: TakenEvent
    /// Whoever made the call that this is the result of.
    let caller: Listener?
    /// Whoever hears what no caller hears.
    let target: Listener

    /// Tells the host. A result that its caller does not want to hear goes where events go.
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
