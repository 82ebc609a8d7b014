import SyncJSON
import SyncModel
import TestSupport

@testable import SyncEngine
@testable import SyncStore

/// What happens in one step: an act of other users, of the host, of the network, or of the machine.
extension Simulation {
    func act() throws {
        noticeAct()
        evictAct()
        exportAct()
        if traits.hasDatabase, random.chance(25) { return try databaseAct() }
        if host.isSlow, random.chance(40) { drain(random.chance(30) ? Int.max : Int(random.below(12))) }
        switch random.below(100) {
        case 0..<37: othersAct()
        case 37..<71: hostActs()
        case 71..<77: try crowd()
        case 77..<88: try networkActs()
        case 88..<92: try lifeAct()
        default: try machineActs()
        }
    }

    /// Much happens in one channel while it is being asked about: what is told overtakes the answers.
    private func crowd() throws {
        guard let view = random.pick(engine.shownMessages) else {
            return openMessages(random.pick(knowledge.urls) ?? "")
        }
        switch random.below(4) {
        case 0: command(.call(newCall("clear_cache"), .clearCache(channelURL: ChannelURL(view.channelURL))))
        case 1: network.reset()
        default: openMessages(view.channelURL)
        }
        fetch(.host(lastCollection), .previous)
        for _ in 0..<(2 + random.below(8)) {
            // Mostly posts, edits, deletions and reactions.
            act(of: random.pick([0, 0, 34, 40, 40, 52, 52, 58, 58]) ?? 0, in: view.channelURL)
            try advance(random.below(60))
        }
    }

    // MARK: What was planned

    func perform(_ plan: HostPlan) {
        switch plan {
        case .setToken: command(.post(.setToken(service.token)))
        case .connect: command(.call(newCall("connect"), .connect))
        case .resumeSync: command(.post(.resumeSync))
        case .cancelExport(let call): cancelExport(call)
        case .foreground: setForeground(true)
        case .freeze(let url, let isFrozen): freeze(url, isFrozen)
        case .tellSendResponse(let collection, let requestID, let message):
            tellSendResponse(collection, requestID, message)
        case .tellChange(let collection, let id, let message): tellChange(collection, id, message)
        case .databaseOnline: databaseOnline()
        case .transform(let transaction, let value): transform(transaction, value)
        case .hook(let hook): answer(hook: hook)
        case .weatherEnds: network.weather = traits.weather
        }
    }

    // MARK: Network and machine

    private func networkActs() throws {
        let me = JSON.object(["user_id": .string(SimulatedService.me)])
        switch random.below(100) {
        case 0..<35: network.reset()
        case 35..<41: network.die()
        case 41..<43: network.die(.up)
        case 43..<45: network.die(.down)
        case 45: network.losePong()
        case 46..<52:
            note("the service drops the socket")
            if random.chance(50) { me.set("code", .int(random.pick([1001, 1011, 4000]) ?? 1001)) }
            service.control("drop_sockets", me)
        case 52..<58:
            note("the service is busy")
            me.set("text", .string("BUSY{\"retry_after\":\(1 + random.below(4))}\n"))
            service.control("send_frame", me)
        case 58..<72:
            note("the session key expires")
            me.set("notify", .bool(random.chance(60)))
            service.control("expire_session_keys", me)
        case 72..<76:
            note("the token is revoked")
            service.revokeToken(notify: random.chance(60))
        case 76..<90:
            note("the network gets worse")
            network.weather = .bad
            plan(.weatherEnds, in: random.below(10_000))
        default: try advance(random.below(40_000))
        }
        network.collect()
    }

    private func machineActs() throws {
        guard traits.hasStoreFaults, random.chance(75) else {
            if random.chance(60) { random.chance(50) ? restart() : closeWhileMuchWaits() }
            return
        }
        let after = Int(random.below(random.chance(50) ? 6 : 40))
        if random.chance(50) {
            note("the process will die after \(after) statements")
            device.faults.die(after: after)
        } else {
            let count = random.chance(60) ? 1 : Int(1 + random.below(20))
            let error = random.chance(50) ? StoreError.full : StoreError.failed(code: 10, message: "disk I/O error")
            note("\(count) statements will fail after \(after): \(error.message)")
            device.faults.fail(after: after, count: count, error)
        }
    }
}
