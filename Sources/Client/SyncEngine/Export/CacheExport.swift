import SyncJSON
import SyncModel
import SyncStore

/// Writes the content of the cache to a file, as lines of JSON (docs/export.md). One call is processed after the other,
/// in slices after everything else that is due, so that a page waits for at most one slice. A thread of its own writes
/// the file; while this thread lags behind, nothing more is read from the cache.
final class CacheExport: Machine {
    /// The maximum duration of a slice, in microseconds.
    private static let longest: Int64 = 2000
    /// Messages that are read together: a message may have some hundred bytes or a megabyte.
    private static let rowsAtOnce = 20
    /// How soon it is checked again whether the writing thread has caught up, in milliseconds.
    private static let diskPause: Int64 = 5
    /// The time between two progress events, in milliseconds.
    private static let progressPause: Int64 = 100

    private struct Job {
        let call: CallID
        let action: ActionCall
    }

    private struct Running {
        let job: Job
        let file: any FileWriting
        var walk: ExportWalk
        /// Lines that the file has not accepted yet, because its buffer was full.
        var untaken: [UInt8]?
        let total: Int64
        var bytes: Int64 = 0
        var toldAt: Int64
        /// `isRead`: the last line has been read; `isWritten`: the file has accepted it.
        var isRead = false
        var isWritten = false
    }

    private var waiting: [Job] = []
    private var running: Running?

    func begin(_ action: ActionCall, _ call: CallID, _ turn: inout Turn) {
        waiting.append(Job(call: call, action: action))
        if let timeout = action.timeout {
            turn.add(.timer(.action(call: call), at: turn.now.monotonic.addingClamped(timeout)))
        }
        goOn(&turn)
    }

    func cancel(_ call: CallID, _ status: Status, _ turn: inout Turn) -> Bool {
        if let running, running.job.call == call {
            stop(running, status, &turn)
            goOn(&turn)
            return true
        }
        guard let index = waiting.firstIndex(where: { $0.call == call }) else { return false }
        complete(waiting.remove(at: index), status, &turn)
        return true
    }

    func end(_ turn: inout Turn) { end(.closed, &turn) }

    /// Ends all exports, and removes incomplete files.
    func end(_ status: Status, _ turn: inout Turn) {
        if let running { stop(running, status, &turn) }
        let jobs = waiting
        waiting = []
        turn.add(.timer(.export, at: nil))
        for job in jobs { complete(job, status, &turn) }
    }

    /// Ends the running export. A file that is complete stays, and its call succeeds.
    private func stop(_ export: Running, _ status: Status, _ turn: inout Turn) {
        if case .complete = export.file.state { return succeed(export, &turn) }
        export.file.discard()
        running = nil
        complete(export.job, status, &turn)
    }

    private func goOn(after pause: Int64 = 0, _ turn: inout Turn) {
        turn.add(.timer(.export, at: turn.now.monotonic.addingClamped(pause)))
    }

    /// One slice.
    func work(_ turn: inout Turn) {
        guard var export = running ?? start(&turn) else { return }
        switch export.file.state {
        case .opening: break
        case .failed(let problem): return fail(export, problem, &turn)
        case .complete:
            succeed(export, &turn)
            return goOn(&turn)
        case .ready:
            guard !export.isWritten else { break }
            guard let isBehind = write(&export, &turn) else { return fail(export, nil, &turn) }
            tell(&export, &turn)
            running = export
            return goOn(after: isBehind || export.isWritten ? CacheExport.diskPause : 0, &turn)
        }
        running = export
        goOn(after: CacheExport.diskPause, &turn)
    }

    private func start(_ turn: inout Turn) -> Running? {
        guard !waiting.isEmpty else { return nil }
        let job = waiting.removeFirst()
        let url = job.action.text("channel_url").map { ChannelURL($0) }
        let walk = ExportWalk(channel: url)
        let total = turn.storage.cached { (cache) throws(StoreError) in try walk.total(cache) }
        guard let total, let total else {
            let isUnknown = total != nil
            let explanation = isUnknown ? "channel_url: nothing of this channel is cached" : nil
            complete(job, isUnknown ? .notFound : .storage, explanation: explanation, &turn)
            goOn(&turn)
            return nil
        }
        let path = job.action.text("path") ?? ""
        let file = turn.files.write(to: path, replaces: job.action.flag("overwrite") ?? false)
        var export = Running(
            job: job, file: file, walk: walk, total: total, toldAt: turn.now.monotonic)
        export.untaken = export.walk.head(user: turn.options.userID, at: turn.now.wall, messages: total)
        return export
    }

    /// Returns whether the writing thread lags behind; `nil`: the cache could not be read.
    private func write(_ export: inout Running, _ turn: inout Turn) -> Bool? {
        let began = turn.options.stopwatch()
        let most = export.walk.messages + Int64(turn.options.cacheSliceRows)
        repeat {
            if export.untaken == nil {
                guard let lines = next(&export, &turn) else { return nil }
                export.untaken = lines
            }
            guard let lines = export.untaken, export.file.take(lines) else { return true }
            export.untaken = nil
            export.bytes += Int64(lines.count)
            export.isWritten = export.isRead
        } while !export.isWritten && export.walk.messages < most
            && turn.options.stopwatch() &- began < CacheExport.longest
        if export.isWritten { export.file.finish() }
        return false
    }

    /// The next lines; after all others, the last line. `nil`: the cache could not be read.
    private func next(_ export: inout Running, _ turn: inout Turn) -> [UInt8]? {
        var walk = export.walk
        let lines = turn.storage.cached { (cache) throws(StoreError) in
            try walk.next(limit: CacheExport.rowsAtOnce, cache)
        }
        guard let lines else { return nil }
        export.walk = walk
        if let lines { return lines }
        export.isRead = true
        return walk.end
    }

    private func tell(_ export: inout Running, _ turn: inout Turn) {
        let now = turn.now.monotonic
        guard export.isWritten || now >= export.toldAt.addingClamped(CacheExport.progressPause) else { return }
        export.toldAt = now
        // Messages may have been cached since the export began.
        let done = export.walk.messages
        let total = export.isWritten ? done : max(done, export.total)
        turn.tell(.callProgress(CallProgress(.export, export.job.call, done: done, total: total)))
    }

    private func succeed(_ export: Running, _ turn: inout Turn) {
        let result = JSON.object([
            "channels": .int(export.walk.channels), "messages": .int(export.walk.messages),
            "bytes": .int(export.bytes),
        ])
        running = nil
        complete(export.job, .ok, result: result.serialized(), &turn)
    }

    /// `problem`: the failure of the file; `nil`: the cache could not be read.
    private func fail(_ export: Running, _ problem: FileProblem?, _ turn: inout Turn) {
        export.file.discard()
        running = nil
        let path = export.job.action.text("path") ?? ""
        let failure = problem.map { turn.rules.failure(.file($0, path: path)) }
        complete(export.job, failure.map { Status($0) } ?? .storage, failure: failure, &turn)
        goOn(&turn)
    }

    private func complete(
        _ job: Job, _ status: Status, result: [UInt8]? = nil, failure: ServiceFailure? = nil,
        explanation: String? = nil, _ turn: inout Turn
    ) {
        if job.action.timeout != nil { turn.add(.timer(.action(call: job.call), at: nil)) }
        turn.complete(Completion(
            call: job.call, name: .call, status: status, failure: failure, action: job.action.action, result: result,
            explanation: explanation))
    }
}
