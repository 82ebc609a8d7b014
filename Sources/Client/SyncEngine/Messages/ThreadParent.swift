import SyncModel

/// The parent message of a thread, as it was told last. Pages of replies do not bring it.
struct ThreadParent {
    let id: MessageID
    /// `nil`: not known, or gone.
    private(set) var message: MessageRecord?

    /// Tells the parent to a collection that opens.
    func tell(_ window: MessageWindow, _ cause: Cause, _ turn: inout Turn) {
        guard let message else { return }
        turn.tell(window.id, .parentUpdated(json: window.shown(message.json, turn.rules), cause))
    }

    /// A fact was stored that may be about the parent.
    mutating func show(_ recorded: RecordedFact, _ cause: Cause, _ windows: MessageWindows, _ turn: inout Turn) {
        if recorded.deleted.contains(id) { return remove(cause, windows, &turn) }
        guard let changed = recorded.changed.last(where: { $0.id == id }), changed.json != message?.json else { return }
        message = changed
        for window in windows.all { tell(window, cause, &turn) }
    }

    /// The history was cut: older messages are gone.
    mutating func cut(before order: Int64, _ windows: MessageWindows, _ turn: inout Turn) {
        guard let message, message.position.order < order else { return }
        remove(Cause(.eventMessageDeleted), windows, &turn)
    }

    private mutating func remove(_ cause: Cause, _ windows: MessageWindows, _ turn: inout Turn) {
        message = nil
        for window in windows.all { turn.tell(window.id, .parentRemoved(id: id, cause)) }
    }
}
