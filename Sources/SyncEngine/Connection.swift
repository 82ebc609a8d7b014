import SyncModel

/// The state of the connection.
struct Connection {
    enum State: String {
        /// Offline because the host wants it so.
        case disconnected
        /// The socket is being opened, or the login is under way.
        case connecting
        case connected
        /// Offline; another attempt is planned.
        case waiting
        /// Offline until the host gives a new access token.
        case tokenNeeded = "token_needed"
    }

    var state = State.disconnected
    var token = ""
    var info = LoginInfo(userID: "", loginTime: 0)
    var backoff = Backoff()
    /// Counts logins; what was learnt in one session about "newest" does not hold in the next.
    var session: UInt64 = 0
    /// Calls of `sm_connect` that wait for the outcome.
    var calls: [UInt64] = []
    var hasFailedOnce = false

    var isLoggedIn: Bool { state == .connected }
    var isOpen: Bool { state == .connecting || state == .connected }
}

extension Engine {
    /// Time for the socket to open and the login to be answered, in milliseconds.
    private static let loginTimeout: Int64 = 20_000

    func connect(call: UInt64) {
        switch connection.state {
        case .connected: return complete(call, "connect", .ok)
        case .connecting: connection.calls.append(call)
        case .tokenNeeded: return complete(call, "connect", .tokenRejected)
        case .disconnected, .waiting:
            connection.calls.append(call)
            connection.backoff.reset()
            openConnection()
        }
    }

    func disconnect() {
        let wasOpen = connection.isOpen
        guard connection.state != .disconnected else { return }
        if wasOpen { emit(.closeConnection) }
        setState(.disconnected)
        leaveSession()
        finishConnectCalls(.closed)
    }

    func setToken(_ token: String) {
        connection.token = token
        if connection.state == .tokenNeeded { openConnection() }
    }

    func openConnection() {
        guard !connection.isOpen, !isClosed else { return }
        timers.cancel(.reconnect)
        setState(.connecting)
        timers.set(.login, at: now.monotonic + Engine.loginTimeout)
        emit(.openConnection(token: connection.token))
    }

    /// The socket is open; the login is under way.
    public func connectionOpened(now: EngineTime) { self.now = now }

    /// The socket failed to open, was closed, or broke.
    public func connectionLost(_ failure: ServiceFailure, now: EngineTime) {
        self.now = now
        guard connection.isOpen, !isClosed else { return }
        lostConnection(failure)
        finishInput()
    }

    func connectionTimedOut() {
        guard connection.isOpen else { return }
        emit(.closeConnection)
        lostConnection(ServiceFailure(kind: .unreachable, code: 800_190, message: "the service gave no sign of life"))
    }

    private func lostConnection(_ failure: ServiceFailure, after pause: Int64? = nil) {
        let wasConnected = connection.isLoggedIn
        leaveSession()
        if failure.kind == .tokenRejected { return needToken() }
        if wasConnected { connection.backoff.reset() }
        let limit = connection.info.reconnectLimit
        if limit >= 0, connection.backoff.attempts > limit {
            setState(.disconnected)
            return finishConnectCalls(.network, failure)
        }
        // The first attempt after a loss is immediate; those after it wait longer and longer.
        let wait: Int64
        if let pause {
            wait = pause
        } else if wasConnected {
            wait = 0
        } else {
            wait = connection.backoff.next(
                base: connection.info.reconnectBase, factor: connection.info.reconnectFactor,
                limit: connection.info.reconnectMax, random: &random)
        }
        setState(.waiting, retryIn: wait)
        timers.set(.reconnect, at: now.monotonic + wait)
        finishConnectCalls(failure.kind == .refused ? .service : .network, failure)
    }

    /// Everything that depends on the session ends: outstanding requests fail, timers stop, "newest" is forgotten.
    private func leaveSession() {
        timers.cancel(.login)
        timers.cancel(.ping)
        timers.cancel(.pong)
        timers.cancel(.reconnect)
        connection.session += 1
        if connection.isOpen { connection.state = .waiting }
        let gone = ServiceFailure(kind: .unreachable, code: 800_200, message: "the connection was closed")
        for continuation in requests.takeAll() { continuation(.failure(gone)) }
        channels.leaveSession()
        for timeline in sortedTimelines { leaveSession(timeline) }
        for view in sortedChannelViews { finishWaitingFetch(view, short: "offline") }
        for url in outbox.channelURLs { failWhatCannotWait(url) }
    }

    private func needToken() {
        setState(.tokenNeeded)
        finishConnectCalls(.tokenRejected)
        tell("token_needed")
    }

    /// A request was refused for its token although the socket is up.
    func tokenRejected() {
        guard connection.isOpen else { return }
        emit(.closeConnection)
        leaveSession()
        needToken()
    }

    func loggedIn(_ info: LoginInfo) {
        guard connection.state == .connecting else { return }
        timers.cancel(.login)
        connection.info = info
        connection.backoff.reset()
        connection.session += 1
        setState(.connected)
        signOfLife()
        finishConnectCalls(.ok)
        anchorChannelChanges()
        startSync()
        clearForgotten()
        // Own messages do not wait for sync.
        for url in outbox.channelURLs { pumpOutbox(url) }
    }

    func loginFailed(_ failure: ServiceFailure) {
        guard connection.isOpen else { return }
        emit(.closeConnection)
        lostConnection(failure)
    }

    func busy(_ pause: Int64) {
        guard connection.isOpen else { return }
        emit(.closeConnection)
        lostConnection(
            ServiceFailure(kind: .rateLimited(retryAfter: pause), code: 800_221, message: "the service is overloaded"),
            after: max(pause, 0))
    }

    // MARK: Signs of life

    /// Something arrived: the peer lives, and the next ping can wait.
    func signOfLife() {
        guard connection.isLoggedIn else { return }
        timers.cancel(.pong)
        timers.set(.ping, at: now.monotonic + max(connection.info.pingInterval, 1000))
    }

    func sendPing() {
        guard connection.isLoggedIn else { return }
        emit(.request(id: 0, .ping(time: now.wall), timeout: connection.info.pongTimeout))
        timers.set(.pong, at: now.monotonic + max(connection.info.pongTimeout, 1000))
    }

    // MARK: Telling

    private func setState(_ state: Connection.State, retryIn: Int64? = nil) {
        connection.state = state
        var members = [(key: "state", value: jsonText(state.rawValue))]
        if let retryIn { members.append(("retry_in", jsonText(retryIn))) }
        tell("connection", members)
    }

    func finishConnectCalls(_ status: Completion.Status, _ failure: ServiceFailure? = nil) {
        let calls = connection.calls
        connection.calls = []
        let members = failure.map(Engine.members(of:)) ?? []
        for call in calls { complete(call, "connect", status, members: members) }
    }
}
