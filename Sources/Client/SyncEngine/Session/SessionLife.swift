import SyncModel

/// What begins and ends with a session, and with a pause of sync by the host.
final class SessionLife {
    private let machines: Machines
    private let requests: Requests
    private(set) var isPaused = false

    init(_ machines: Machines, _ requests: Requests) {
        self.machines = machines
        self.requests = requests
    }

    private var timelines: Timelines { machines.timelines }

    func began(_ info: SessionInfo, _ turn: inout Turn) {
        let sync = machines.sync
        if !info.isContinued { machines.streamPoint.broke(timelines, &turn) }
        for timeline in timelines.sorted {
            timeline.sessionBegan()
            // Perhaps nobody will tell of a message that was sent without a connection.
            if machines.outbox.isSending(in: timeline.id.channelURL) { timeline.sendBegan() }
            if let channel = turn.storage.channel(timeline.id.channelURL) { machines.mutes.note(channel, &turn) }
        }
        sync.sessionBegan(turn.context)
        machines.retention.sessionBegan(turn.context)
        // Also channels of which nothing is cached: the messages of a thread do not say that its channel is gone.
        for timeline in timelines.sorted { sync.collectionStarted(timeline.id.channelURL, &turn) }
        machines.lists.setComplete(sync.isComplete, &turn)
        resume(&turn)
        machines.outbox.clearSettled(turn.context)
        machines.outbox.sessionBegan(&turn)
    }

    /// Everything that depends on the session ends: requests in flight fail, and no chunk counts as reaching the
    /// newest.
    func ended(_ turn: inout Turn) {
        requests.sessionEnded(&turn)
        for id in machines.prefetch.takeOpen() {
            if let place = machines.collections.remove(id, &turn) { requests.dropMessages(of: place) }
        }
        machines.sessionEnded(&turn)
    }

    func setPaused(_ paused: Bool, _ turn: inout Turn) {
        guard isPaused != paused else { return }
        isPaused = paused
        turn.context.isPaused = paused
        if paused {
            for timeline in timelines.sorted { timeline.collections.finishFetches(.paused, &turn) }
            machines.lists.continueFetches(isInterrupted: true, &turn)
        } else {
            resume(&turn)
        }
        machines.outbox.pumpAll(&turn)
    }

    /// Background work begins or goes on: after a login, and when the host ends a pause.
    private func resume(_ turn: inout Turn) {
        machines.sync.pump(&turn)
        machines.retention.pump(&turn)
        machines.notices.pump(&turn)
        machines.lists.continueFetches(&turn)
        for timeline in timelines.sorted { timeline.resume(&turn) }
        machines.streams.syncResumed()
    }
}
