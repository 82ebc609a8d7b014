import SyncModel

/// Whether the service can be used: connects, waits between attempts, stays logged in.
///
/// In the background the connection is closed after a while, and no attempt is made until the host is in the foreground
/// again. Calls of `sm_connect` made meanwhile wait until then.
///
/// How a login is made, and whether the peer is still alive, the service's machine decides; it tells `connected` and
/// `disconnected`.
final class Session: Machine {
    private enum State {
        /// Offline because the host wants it, or because the service allows no more attempts.
        case disconnected
        case connecting
        case connected(SessionInfo)
        /// Offline; another attempt is planned.
        case waiting
        /// Offline until the host gives a new access token.
        case tokenNeeded
        /// Offline until the host is in the foreground again.
        case suspended
    }

    /// What an input did to the session as a whole.
    enum Outcome: Equatable { case none, began, ended }

    private var state = State.disconnected
    private var token: String
    /// The host has given a token since the latest attempt began.
    private var hasNewToken = false
    private(set) var isInForeground = true
    /// The host has been in the background for long enough: no connection is made.
    private var isSuspended = false
    private var policy = ReconnectPolicy()
    /// Failed attempts in a row.
    private var backoff = Backoff()
    /// Sessions in a row that ended right after they had begun.
    private var losses = Backoff()
    /// Calls of `sm_connect` that wait for the outcome.
    private var calls: [CallID] = []
    /// Whether messages may be sent without a connection: the last session was lost, not ended, so its session key
    /// still counts.
    private var hasKey = false
    /// By the monotonic clock.
    private(set) var loggedInAt: Int64 = 0

    init(token: String) { self.token = token }

    var connection: Context.Connection {
        switch state {
        case .connecting: .connecting
        case .connected(let info): .loggedIn(info)
        case .disconnected, .waiting, .tokenNeeded, .suspended: .offline
        }
    }

    /// Whether messages may be sent by requests now: while a lost session is being replaced by a new one.
    func maySendByRequest(_ options: EngineOptions) -> Bool {
        switch state {
        case .connecting, .waiting: hasKey && options.sendsByRequest
        case .disconnected, .connected, .tokenNeeded, .suspended: false
        }
    }

    private var isOpen: Bool {
        switch state {
        case .connecting, .connected: true
        case .disconnected, .waiting, .tokenNeeded, .suspended: false
        }
    }

    // MARK: Host

    func connect(call: CallID, _ turn: inout Turn) {
        switch state {
        case .connected: turn.complete(Completion(call: call, name: .connect, status: .ok))
        case .connecting, .suspended: calls.append(call)
        case .tokenNeeded: turn.complete(Completion(call: call, name: .connect, status: .tokenRejected))
        case .disconnected, .waiting:
            calls.append(call)
            backoff.reset()
            open(&turn)
        }
    }

    /// The host does not wait for the outcome any more; connecting goes on. `false` when no such call waits.
    func cancel(_ call: CallID, _ status: Status, _ turn: inout Turn) -> Bool {
        guard let index = calls.firstIndex(of: call) else { return false }
        calls.remove(at: index)
        turn.complete(Completion(call: call, name: .connect, status: status))
        return true
    }

    func disconnect(_ turn: inout Turn) -> Outcome {
        if case .disconnected = state { return .none }
        let outcome = close(&turn)
        enter(.disconnected, &turn)
        finishCalls(.closed, nil, &turn)
        return outcome
    }

    func setToken(_ token: String, _ turn: inout Turn) {
        self.token = token
        hasNewToken = true
        if case .tokenNeeded = state { open(&turn) }
    }

    func setForeground(_ isForeground: Bool, _ turn: inout Turn) {
        guard isForeground != isInForeground else { return }
        isInForeground = isForeground
        guard isForeground else {
            let (time, isTooLate) = turn.now.monotonic.addingReportingOverflow(turn.options.backgroundGrace)
            return turn.add(.timer(.background, at: isTooLate ? Int64.max : time))
        }
        turn.add(.timer(.background, at: nil))
        isSuspended = false
        switch state {
        case .suspended, .waiting:
            backoff.reset()
            open(&turn)
        case .disconnected, .connecting, .connected, .tokenNeeded: break
        }
    }

    /// The host has been in the background for long enough.
    func suspend(_ turn: inout Turn) -> Outcome {
        guard !isInForeground else { return .none }
        isSuspended = true
        switch state {
        case .disconnected, .tokenNeeded, .suspended: return .none
        case .connecting, .connected, .waiting:
            let outcome = close(&turn)
            enter(.suspended, &turn)
            return outcome
        }
    }

    /// The user signs out: the connection is closed, and the token is forgotten.
    func signOut(_ turn: inout Turn) -> Outcome {
        token = ""
        return disconnect(&turn)
    }

    /// Another attempt is due.
    func retry(_ turn: inout Turn) {
        if case .waiting = state { open(&turn) }
    }

    /// The client closes: the host is told only how its calls end.
    func end(_ turn: inout Turn) {
        _ = close(&turn)
        state = .disconnected
        turn.context.connection = connection
        finishCalls(.closed, nil, &turn)
    }

    // MARK: Service

    func connected(_ info: SessionInfo, _ now: Moment, _ turn: inout Turn) -> Outcome {
        guard case .connecting = state else { return .none }
        policy = info.reconnect.bounded
        loggedInAt = now.monotonic
        hasKey = info.takesMessagesByRequest
        backoff.reset()
        enter(.connected(info), &turn)
        finishCalls(.ok, nil, &turn)
        return .began
    }

    /// The service accepts no more messages without a connection.
    func keyRefused(_ turn: inout Turn) {
        hasKey = false
        turn.context.maySendByRequest = false
    }

    /// The service ended the session, or it could not begin.
    func disconnected(
        _ failure: ServiceFailure, retryAfter: Int64?, _ turn: inout Turn
    ) -> Outcome {
        let wasConnected: Bool
        switch state {
        case .connecting: wasConnected = false
        case .connected: wasConnected = true
        case .disconnected, .waiting, .tokenNeeded, .suspended: return .none
        }
        // If the service ended the session, or refuses a new one, it accepts no messages by request either.
        if ![.unreachable, .timedOut, .unavailable].contains(failure.kind) { hasKey = false }
        if failure.kind == .tokenRejected, hasNewToken {
            // It was not refused yet.
            enter(.waiting, retryIn: 0, failure: failure, &turn)
            turn.add(.timer(.reconnect, at: turn.now.monotonic))
            return .ended
        }
        guard failure.kind != .tokenRejected else {
            enter(.tokenNeeded, &turn)
            finishCalls(.tokenRejected, failure, &turn)
            turn.tell(.tokenNeeded(failure))
            return .ended
        }
        let status: Status = failure.kind == .refused ? .service : .network
        if policy.attempts >= 0, !wasConnected, backoff.attempts > policy.attempts {
            enter(.disconnected, failure: failure, &turn)
            finishCalls(status, failure, &turn)
            return .ended
        }
        let pause: Int64
        if let retryAfter, retryAfter >= ReconnectPolicy.shortestPause {
            pause = retryAfter
        } else if wasConnected {
            pause = pauseAfterLoss(failure, turn.context)
        } else {
            pause = backoff.next(
                base: policy.base, factor: policy.factor, limit: policy.limit, random: turn.random)
        }
        enter(.waiting, retryIn: pause, failure: failure, &turn)
        turn.add(.timer(.reconnect, at: turn.now.monotonic + pause))
        finishCalls(status, failure, &turn)
        return .ended
    }

    /// The first attempt after a lost connection is immediate; later ones wait longer and longer. When the service
    /// accepts a login and ends the session at once, the pause grows as after a refused login: an immediate attempt
    /// would repeat this without end.
    private func pauseAfterLoss(_ failure: ServiceFailure, _ context: Context) -> Int64 {
        let base = max(policy.base, ReconnectPolicy.shortestPause)
        if context.now.monotonic - loggedInAt >= base { losses.reset() }
        let isFirst = losses.attempts == 0
        let pause = losses.next(base: base, factor: policy.factor, limit: policy.limit, random: context.random)
        return isFirst && failure.kind == .unreachable ? 0 : pause
    }

    // MARK: Inside

    private func open(_ turn: inout Turn) {
        turn.add(.timer(.reconnect, at: nil))
        if isSuspended { return enter(.suspended, &turn) }
        hasNewToken = false
        enter(.connecting, &turn)
        turn.add(.connect(token: token))
    }

    private func close(_ turn: inout Turn) -> Outcome {
        turn.add(.timer(.reconnect, at: nil))
        guard isOpen else { return .none }
        turn.add(.closeConnection)
        return .ended
    }

    private func enter(
        _ state: State, retryIn: Int64? = nil, failure: ServiceFailure? = nil, _ turn: inout Turn
    ) {
        self.state = state
        switch state {
        case .disconnected, .tokenNeeded, .suspended: hasKey = false
        case .connecting, .connected, .waiting: break
        }
        turn.context.connection = connection
        turn.context.maySendByRequest = maySendByRequest(turn.options)
        turn.context.loggedInAt = loggedInAt
        let told: ClientNotice.ConnectionState =
            switch state {
            case .disconnected, .suspended: .disconnected
            case .connecting: .connecting
            case .connected: .connected
            case .waiting: .waiting
            case .tokenNeeded: .tokenNeeded
            }
        turn.tell(.connection(told, retryIn: retryIn, failure))
    }

    private func finishCalls(_ status: Status, _ failure: ServiceFailure?, _ turn: inout Turn) {
        for call in calls {
            turn.complete(Completion(call: call, name: .connect, status: status, failure: failure))
        }
        calls = []
    }
}
