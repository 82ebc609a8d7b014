import SyncJSON
import SyncModel
import SyncStore
import TestSupport

@testable import SyncEngine

/// The app comes and goes, the machine sleeps, the user leaves.
extension Simulation {
    func lifeAct() throws {
        switch random.below(24) {
        case 0..<6:
            setForeground(false)
            plan(.foreground, in: random.below(20_000))
        case 6: setForeground(true)
        case 7..<10: signOut()
        case 10..<12: sleep()
        case 12..<15:
            session.open = []
            command(.call(newCall("call"), .action(ActionCall(action: .library(.clearChannels), arguments: [:]))))
        case 15..<17: startFarAhead()
        case 17..<20: writeIntoFrozen()
        default: try missMuch()
        }
    }

    func setForeground(_ isForeground: Bool) {
        command(.post(.setForeground(isForeground)))
        backgroundSince = isForeground ? nil : backgroundSince ?? time
    }

    /// Nothing of the user stays, neither shown nor on disk; then somebody may come again.
    private func signOut() {
        let call = newCall("sign_out")
        session.open = []
        database.uncertain += Int64(device.queuedWrites.count { $0.kind == 2 }) * DatabaseKnowledge.most
        let process = processNumber
        // Already: the process may die at it, and the next one listens at once.
        database.signedOut(isDone: false)
        signOuts += 1
        command(.call(call, .signOut))
        // Else the device still knows what is under way, and sends nothing before that is answered.
        if process == processNumber, device.queuedWrites.isEmpty { network.signedOut() }
        if traits.hasDatabase { beginResources() }
        database.signedOut(isDone: process == processNumber && results[call]?.status == .ok)
        // The process may have died at it.
        let isForgotten = results[call].map { $0.status == .ok } ?? true
        knowledge.signedOut(holding: Set(engine.ownMessages.map(\.requestID.text)), isForgotten: isForgotten)
        plan(.setToken, in: random.below(5_000))
        plan(.connect, in: random.below(10_000))
        guard let result = results[call] else { return }
        guard result.status == .ok else {
            return note("sign-out gave \(result.status)")
        }
        let isShown = engine.shownMessages.contains { !$0.window.window.isEmpty }
            || engine.shownChannels.contains { !$0.window.isEmpty }
            || engine.searchWindows.contains { !$0.window.isEmpty } || !engine.ownMessages.isEmpty
        let held = try? device.held()
        if isShown || held.map({ $0.channels > 0 || $0.messages > 0 || $0.own > 0 }) ?? true {
            violation = violation ?? Violation(
                description: "after sign-out something is shown (\(isShown)) or held: \(String(describing: held))")
        }
    }

    /// The machine sleeps for hours or days: its monotonic clock stands, and the connection does not outlive it.
    private func sleep() {
        let hours: Int64 = 1 + random.below(random.chance(50) ? 30 : 200)
        note("the machine sleeps for \(hours) h")
        slept += hours * 3_600_000
        service.control("advance_clock", .object(["ms": .int(hours * 3_600_000)]))
        if random.chance(60) { network.reset() } else { network.die() }
    }

    /// A collection is opened and started where much is missing behind what is cached.
    private func startFarAhead() {
        guard let view = random.pick(engine.shownMessages) else { return }
        command(.post(.disconnect))
        let count: Int64 = 110 + random.below(200)
        note("\(count) messages in \(view.channelURL)")
        service.burst(view.channelURL, "kit", count)
        close(view.window.id)
        command(.call(newCall("connect"), .connect))
        openMessages(view.channelURL, starts: true)
    }

    /// Messages wait for a connection while the channel is frozen.
    private func writeIntoFrozen() {
        guard let view = random.pick(engine.shownMessages) else { return }
        command(.post(.disconnect))
        for _ in 0..<(1 + random.below(3)) { send(view) }
        freeze(view.channelURL, true)
        plan(.connect, in: random.below(3_000))
        plan(.freeze(view.channelURL, false), in: random.below(30_000))
    }

    /// The host wants failed messages to be sent again.
    func resent(_ requestIDs: [String]) {
        session.asked.formUnion(requestIDs)
        knowledge.resent(requestIDs)
    }

    // MARK: What must hold

    /// What the host did not ask to send since the last login goes out after the service has told of channels, not into
    /// one that is known to be frozen, and not when it has waited for three days.
    func violationOfSending(_ text: [UInt8], isByRequest: Bool) -> Violation? {
        guard let body = try? JSON.parse(text), let requestID = body["req_id"]?.string,
            let url = body["channel_url"]?.string
        else { return nil }
        guard let own = engine.ownMessages.first(where: { $0.requestID.text == requestID }) else {
            return Violation(description: "\(requestID) goes out, and is not here any more")
        }
        if isByRequest {
            seen.insert("sent by request")
            if !traits.sendsByRequest { return Violation(description: "\(requestID) goes out by a request") }
        }
        return violationOfFiles(own, body) ?? violationOfGoingOut(own, in: url)
    }

    func violationOfGoingOut(_ own: Intent, in url: String) -> Violation? {
        let requestID = own.requestID.text
        guard !session.asked.contains(requestID) else { return nil }
        if !session.wasPaused {
            if !network.wereChannelsTold {
                return Violation(description: "\(requestID) goes out before channels are synced")
            }
            if let channel = device.cachedChannel(url).flatMap({ try? JSON.parse($0.json) }),
                channel["freeze"]?.bool == true, channel["my_role"]?.string != "operator"
            {
                return Violation(description: "\(requestID) goes out into \(url), which is frozen")
            }
        }
        let age = now.wall - own.createdAt
        if age > 3 * 86_400_000 + 3_600_000, !knowledge.wasResent(requestID) {
            return Violation(description: "\(requestID) goes out after \(age / 3_600_000) h")
        }
        return nil
    }

    /// In the background there is a connection for a while only; failed messages are as many as may be.
    func checkLife() throws {
        if let since = backgroundSince, time - since > 5_000, network.hasOpenSocket {
            throw Violation(description: "still connected after \(time - since) ms in the background")
        }
        let refused = engine.ownMessages.filter { $0.status == .failed && $0.errorCode == 400_202 }
        for own in refused { try checkIsMissing(own) }
        missed.formIntersection(refused.map(\.requestID.text))
        let failed = Dictionary(grouping: engine.ownMessages.filter { $0.status == .failed }, by: \.channelURL)
        for (url, messages) in failed where messages.count > traits.maxFailed {
            throw Violation(description: "\(messages.count) failed messages in \(url), not \(traits.maxFailed)")
        }
    }

    /// No message has failed because the service has it. Looked at when it failed: what was hidden from this user then
    /// may be shown again to one who came into the channel once more.
    private func checkIsMissing(_ own: Intent) throws {
        guard !missed.contains(own.requestID.text) else { return }
        missed.insert(own.requestID.text)
        guard let text = knowledge.own[own.requestID.text]?.text, service.channel(own.channelURL.text) != nil
        else { return }
        let ids = service.ownIDs[text] ?? []
        let there = service.messageIDs(own.channelURL.text).first {
            ids.contains($0.id) && $0.createdAt >= service.offset(own.channelURL.text)
        }
        guard let there else { return }
        throw Violation(description: "\(own.requestID.text) has failed as known to the service, which has \(there.id)")
    }

    /// Not everything that changed while away is in the log of channels: those that are shown are asked for after each
    /// login.
    func checkRefreshed() throws {
        for url in session.open.subtracting(network.refreshed).sorted()
        where engine.shownMessages.contains(where: { $0.channelURL == url }) && device.cachedChannel(url) != nil {
            throw Violation(description: "\(url) was not asked for since the login")
        }
    }

    /// Waits for what the library finds out by itself when nobody tells that a mute is over.
    func awaitMuteEnds() throws {
        let isMuted = try engine.shownMessages.contains { shown in
            try device.cachedChannel(shown.channelURL).map { try JSON.parse($0.json)["is_muted"]?.bool ?? false }
                ?? false
        }
        // Mutes last for 30 s; the device does not know how far the clock was advanced since it logged in.
        if isMuted, !traits.tellsMuteEnds { try advance(service.jumped - session.jumpedBefore + 35_000) }
    }

    /// Of a channel whose messages nobody shows it is not asked either.
    func isMuteEndUnknown(_ here: JSON, _ there: JSON, _ url: String) -> Bool {
        guard !traits.tellsMuteEnds, here["is_muted"]?.bool == true, there["is_muted"]?.bool != true else {
            return false
        }
        return isFaulty || !engine.shownMessages.contains { $0.channelURL == url }
    }

    /// What is too old is looked for every hour.
    func checkAges() throws {
        let day: Int64 = 86_400_000
        func old() -> [String] {
            engine.ownMessages.filter { own in
                let age = now.wall - own.createdAt
                return own.status == .failed ? age > Int64(traits.retentionDays) * day : age > 3 * day
            }.map(\.requestID.text)
        }
        guard !old().isEmpty else { return }
        try advance(3_700_000)
        drain()
        let left = old().filter { id in
            // Nobody but the host knows how its own send goes.
            engine.ownMessages.contains { $0.requestID.text == id && !$0.isHostSent }
        }
        if !left.isEmpty { throw Violation(description: "too old to be kept or sent: \(left)") }
    }
}
