import SyncModel

/// The parent message of a thread, as it was told last. Pages of replies do not bring it.
struct ThreadParent {
    private enum State {
        /// Neither the cache nor the service told of it.
        case unknown
        case known(MessageRecord)
        case gone
    }

    let id: MessageID
    private var state: State

    /// `message`: the parent as it is cached.
    init(id: MessageID, message: MessageRecord?) {
        self.id = id
        state = message.map { .known($0) } ?? .unknown
    }

    private var message: MessageRecord? { if case .known(let message) = state { message } else { nil } }

    /// Tells a collection of the parent: one that opens, one that lost events, or all when something changed.
    func tell(_ window: MessageWindow, _ cause: Cause, _ turn: inout Turn) {
        switch state {
        case .unknown: break
        case .known(let message):
            turn.tell(window.id, .parentUpdated(json: window.shown(message.json, turn.rules), cause))
        case .gone: turn.tell(window.id, .parentRemoved(id: id, cause))
        }
    }

    /// A fact was stored that may be about the parent.
    mutating func show(_ recorded: RecordedFact, _ cause: Cause, _ windows: MessageWindows, _ turn: inout Turn) {
        if recorded.deleted.contains(id) { return remove(cause, windows, &turn) }
        guard let changed = recorded.changed.last(where: { $0.id == id }), changed.json != message?.json else { return }
        set(.known(changed), cause, windows, &turn)
    }

    /// The history was cut: older messages are gone.
    mutating func cut(before order: Int64, _ windows: MessageWindows, _ turn: inout Turn) {
        guard let message, message.position.order < order else { return }
        remove(Cause(.eventMessageDeleted), windows, &turn)
    }

    /// Told only once: after the answer that it is not found the log tells that it was deleted.
    private mutating func remove(_ cause: Cause, _ windows: MessageWindows, _ turn: inout Turn) {
        if case .gone = state { return }
        set(.gone, cause, windows, &turn)
    }

    private mutating func set(_ state: State, _ cause: Cause, _ windows: MessageWindows, _ turn: inout Turn) {
        self.state = state
        for window in windows.all { tell(window, cause, &turn) }
    }
}
