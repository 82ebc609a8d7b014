import CCurl
import CLinux
import Glibc
import SyncThreads

// The loop of the network thread: one epoll set for libcurl's connections, the WebSockets and the wake-up of the inbox.
//
// libcurl is driven by events: it says which sockets it wants watched (`watch`) and when its next timer is due
// (`curlDeadline`), and the cost of one event does not grow with the number of connections. A WebSocket begins as a
// libcurl transfer that only connects; once connected, its socket is watched under the WebSocket's own id, while its
// handle stays in the multi handle, which owns the connection.
//
// The event's tag says what it is about: 0 is the inbox, the top bit with a descriptor is libcurl's, all else is the id
// of a WebSocket.

/// The loop of the network thread. Only that thread makes and uses it.
final class NetworkLoop {
    private static let curlTag: UInt64 = 1 << 63
    private static let idleHandleLimit = 16
    private static let eventCount = 64

    private let curl: Curl
    private let multi: Curl.Handle
    private let epoll: Int32
    private let wakeup: Int32
    private let events: UnsafeMutablePointer<epoll_event>
    private let buffer: UnsafeMutableRawBufferPointer

    /// When libcurl wants to be called without an event.
    private var curlDeadline = Int64.max
    private var transfers: [UnsafeMutableRawPointer: HTTPTransfer] = [:]
    private var transferHandles: [UInt64: UnsafeMutableRawPointer] = [:]
    /// The transfers whose answers come in pieces.
    private var streams: [UInt64: HTTPTransfer] = [:]
    /// The streams that have a deadline, since their answer has not begun; they are few, even when many streams are
    /// open.
    private var unanswered: [UInt64: HTTPTransfer] = [:]
    private var lanes = RequestLanes()
    /// The lanes in which a request has ended, one entry for each, so that another may begin.
    private var freed: [RequestLanes.Lane] = []
    private var sockets: [UInt64: SocketTransfer] = [:]
    private var socketIDs: [UnsafeMutableRawPointer: UInt64] = [:]
    /// The sockets that are watched as WebSockets, and not for libcurl any more.
    private var ownDescriptors: Set<Int32> = []
    /// Sockets that may have more to read, after the others have had their turn.
    private var unread: [UInt64] = []
    /// Sockets that were given something to write by the current commands.
    private var unwritten: [UInt64] = []
    /// Streams and sockets that wait for their owner's intake to be opened, in the order in which they began to wait.
    private var held: [ObjectIdentifier: [(id: UInt64, since: Int64)]] = [:]
    /// Handles to be used again, since making one costs more than all else in a request.
    private var idleHandles: [CurlHandle] = []
    private var isBroken = false
    /// Exchanges that begin when their file is open.
    private var opening: [UInt64: OpeningFile] = [:]
    /// Exchanges that are over, except that the file they have received still gets its final name.
    private var naming: [UInt64: HTTPTransfer] = [:]
    /// Called on threads of files when an exchange can go on.
    var wakeFile: @Sendable (UInt64) -> Void = { _ in }

    /// - Parameter wakeup: an eventfd that becomes readable when there are commands.
    init?(_ curl: Curl, wakeup: Int32) {
        guard let multi = curl.multiInit() else { return nil }
        let epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard epoll >= 0 else {
            _ = curl.multiCleanup(multi)
            return nil
        }
        self.curl = curl
        self.multi = multi
        self.epoll = epoll
        self.wakeup = wakeup
        events = .allocate(capacity: NetworkLoop.eventCount)
        events.initialize(repeating: epoll_event(), count: NetworkLoop.eventCount)
        buffer = .allocate(byteCount: 128 << 10, alignment: 16)
        guard subscribe(), setEvents(wakeup, EPOLLIN.rawValue, tag: 0) else {
            close()
            return nil
        }
    }

    deinit {
        events.deallocate()
        buffer.deallocate()
    }

    private func subscribe() -> Bool {
        let context = Unmanaged.passUnretained(self).toOpaque()
        let results = [
            shim_curl_multi_set_pointer(curl.setMultiOption, multi, CURLMOPT_SOCKETDATA, context),
            shim_curl_multi_set_pointer(curl.setMultiOption, multi, CURLMOPT_TIMERDATA, context),
            shim_curl_multi_set_socket_callback(curl.setMultiOption, multi) { _, socket, what, context, _ in
                guard let context else { return 0 }
                Unmanaged<NetworkLoop>.fromOpaque(context).takeUnretainedValue().watch(socket, what)
                return 0
            },
            shim_curl_multi_set_timer_callback(curl.setMultiOption, multi) { _, timeout, context in
                guard let context else { return 0 }
                let loop = Unmanaged<NetworkLoop>.fromOpaque(context).takeUnretainedValue()
                // Not called from here: libcurl must not be entered again from its callbacks.
                loop.curlDeadline =
                    timeout < 0 ? Int64.max : Clock.monotonic &+ Int64(min(timeout, 86_400_000))
                return 0
            },
        ]
        return results.allSatisfy { $0 == CURLM_OK }
    }

    /// Frees the loop's system resources. Not in `deinit`, since in a forked child that would send on the parent's
    /// connections.
    func close() {
        idleHandles = []
        _ = curl.multiCleanup(multi)
        Glibc.close(epoll)
    }

    // MARK: Running

    /// Runs until `next` says to stop. Then every request and socket that is left is cancelled.
    func run(next: () -> (commands: [NetworkCommand], isStopping: Bool)) {
        while !isBroken {
            let (commands, isStopping) = next()
            for command in commands { execute(command) }
            writeUnwritten()
            if isStopping { break }
            drive()
            wait()
        }
        let failure = NetworkFailure(
            .cancelled, isBroken ? "the system's event queue failed" : "the network is shut down")
        for transfer in Array(transfers.values) {
            forget(transfer)
            transfer.fail(failure)
        }
        for command in lanes.removeAll() { command.refuse(failure) }
        for file in opening.values { giveUp(file, failure) }
        for transfer in naming.values { transfer.fail(failure) }
        let now = Clock.monotonic
        for socket in Array(sockets.values) {
            socket.abandon(failure, now: now)
            settle(socket)
        }
        close()
    }

    /// Does what is due by the clock, and completes the transfers that libcurl has finished.
    private func drive() {
        let now = Clock.monotonic
        if curlDeadline <= now {
            curlDeadline = Int64.max
            act(on: CURL_SOCKET_TIMEOUT, 0)
        }
        takeFinished()
        if !unanswered.isEmpty { unanswered = unanswered.filter { $0.value.nextDeadline != Int64.max } }
        for stream in unanswered.values.filter({ $0.nextDeadline <= now }) { giveUp(stream, stream.lateness) }
        for socket in sockets.values.filter({ $0.nextDeadline <= now }) {
            socket.advance(now: now)
            settle(socket)
        }
        for command in lanes.takeLate(now: now) {
            command.refuse(NetworkFailure(.timedOut, "no answer in time: too many requests were under way"))
        }
        beginWaiting(now: now)
    }

    /// Begins waiting requests in place of those that have ended.
    private func beginWaiting(now: Int64) {
        while let lane = freed.popLast() {
            guard let (command, deadline) = lanes.next(in: lane),
                case .send(let id, var request, let intake, let receiver) = command
            else { continue }
            request.timeoutMS = Int(max(deadline - now, 1))
            begin(id, request, intake, receiver, in: lane)
        }
    }

    private func wait() {
        var due = unread.isEmpty ? min(curlDeadline, lanes.nextDeadline) : 0
        for stream in unanswered.values { due = min(due, stream.nextDeadline) }
        for socket in sockets.values { due = min(due, socket.nextDeadline) }
        let timeout = due == Int64.max ? -1 : Int32(clamping: max(due &- Clock.monotonic, 0))
        let count = Int(epoll_wait(epoll, events, Int32(NetworkLoop.eventCount), timeout))
        if count < 0, errno != EINTR { isBroken = true }
        let interrupted = unread
        unread = []
        var index = 0
        while index < count {
            handle(events[index])
            index += 1
        }
        for id in interrupted { read(id) }
    }

    private func handle(_ event: epoll_event) {
        let tag = event.data.u64
        if tag == 0 {
            var count: UInt64 = 0
            // Resets the counter; a failure means that another turn has done so.
            _ = Glibc.read(wakeup, &count, 8)
        } else if tag & NetworkLoop.curlTag != 0 {
            var mask: Int32 = 0
            if event.events & (EPOLLIN.rawValue | EPOLLHUP.rawValue) != 0 { mask |= CURL_CSELECT_IN }
            if event.events & EPOLLOUT.rawValue != 0 { mask |= CURL_CSELECT_OUT }
            if event.events & EPOLLERR.rawValue != 0 { mask |= CURL_CSELECT_ERR }
            act(on: curl_socket_t(truncatingIfNeeded: tag), mask)
            takeFinished()
        } else {
            read(tag)
        }
    }

    private func act(on socket: curl_socket_t, _ mask: Int32) {
        var running: Int32 = 0
        // Fails only for a broken multi handle; single transfers report by their own messages.
        if curl.multiAct(multi, socket, mask, &running) != CURLM_OK { isBroken = true }
    }

    private func takeFinished() {
        var left: Int32 = 0
        while let message = curl.multiInfoRead(multi, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let handle = message.pointee.easy_handle else { continue }
            // The message is gone with the next call into libcurl.
            let code = shim_curl_message_result(message)
            if let transfer = transfers[handle] {
                forget(transfer)
                if transfer.finishFile(code) { naming[transfer.id] = transfer } else { transfer.finish(code) }
                if !transfer.wasHeld, naming[transfer.id] == nil { recycle(transfer.handle) }
                // Done at once, since the number of idle connections that libcurl keeps depends on its transfers.
                beginWaiting(now: Clock.monotonic)
            } else if let id = socketIDs[handle], let socket = sockets[id] {
                socket.connected(code, now: Clock.monotonic)
                settle(socket)
            }
        }
    }

    // MARK: Commands

    private func execute(_ command: NetworkCommand) {
        switch command {
        case .send(let id, let request, let intake, .pieces(let handler)):
            begin(id, request, intake, .pieces(handler), in: nil)
        case .send(let id, let request, let intake, let receiver):
            let lane = RequestLanes.Lane(request, for: intake)
            if lanes.admit(id, command, request, to: lane) { begin(id, request, intake, receiver, in: lane) }
        case .cancel(let id, let target): cancel(id, discarding: target)
        case .goOn(let id): goOn(id)
        case .open(let id, let options, let intake, let handler):
            guard let handle = CurlHandle(curl) else {
                return command.refuse(NetworkFailure(.cannotConnect, "out of memory"))
            }
            let socket = SocketTransfer(id: id, options, on: handle, for: intake, handler: handler)
            if let refusal = socket.refusal { return socket.end(refusal) }
            sockets[id] = socket
            socketIDs[handle.pointer] = id
            if curl.multiAdd(multi, handle.pointer) != CURLM_OK {
                socket.end(NetworkFailure(.cannotConnect, "out of memory"))
                settle(socket)
            }
        case .text(let id, let bytes):
            guard let socket = sockets[id] else { return }
            socket.send(bytes)
            unwritten.append(id)
        case .close(let id, let code, let reason):
            guard let socket = sockets[id] else { return }
            // epoll does not report bytes that TLS has buffered.
            if socket.isHeld { unread.append(id) }
            socket.close(code: code, reason: reason, now: Clock.monotonic)
            unwritten.append(id)
        case .readOn(let intake): readOn(intake)
        }
    }

    private func begin(
        _ id: UInt64, _ request: HTTPRequest, _ intake: Intake, _ receiver: HTTPReceiver,
        in lane: RequestLanes.Lane?
    ) {
        guard let file = request.file else { return begin(id, request, nil, intake, receiver, in: lane) }
        let wake = wakeFile
        let new = OpeningFile(id: id, request, file, intake, receiver, in: lane) { wake(id) }
        opening[id] = new
        if !new.start() { giveUp(new, NetworkFailure(.cannotConnect, "the system gives no thread")) }
    }

    private func begin(
        _ id: UInt64, _ request: HTTPRequest, _ file: OpenedFile?, _ intake: Intake, _ receiver: HTTPReceiver,
        in lane: RequestLanes.Lane?
    ) {
        func fail(_ failure: NetworkFailure) {
            if let lane { freed.append(lane) }
            file?.work.end(discarding: false)
            receiver.fail(failure)
        }
        guard let handle = idleHandles.popLast() ?? CurlHandle(curl) else {
            return fail(NetworkFailure(.cannotConnect, "out of memory"))
        }
        let onHold = { [unowned self] (id: UInt64) in hold(id, for: intake) }
        let transfer = HTTPTransfer(id: id, request, file: file, on: handle, for: intake, receiver, onHold: onHold)
        if let refusal = handle.refusal {
            fail(refusal)
            return recycle(handle)
        }
        transfer.lane = lane
        transfers[handle.pointer] = transfer
        transferHandles[id] = handle.pointer
        if receiver.isStream {
            streams[id] = transfer
            unanswered[id] = transfer
        }
        guard curl.multiAdd(multi, handle.pointer) == CURLM_OK else {
            forget(transfer)
            return transfer.fail(NetworkFailure(.cannotConnect, "out of memory"))
        }
    }

    private func cancel(_ id: UInt64, discarding target: HTTPTarget?) {
        let discarding = target != nil
        let failure = NetworkFailure(.cancelled, "cancelled")
        if let waiting = lanes.remove(id) { return waiting.refuse(failure) }
        if let file = opening[id] { return giveUp(file, failure, discarding: discarding) }
        if let transfer = naming.removeValue(forKey: id) {
            transfer.file?.work.end(discarding: discarding)
            return transfer.fail(failure)
        }
        guard let handle = transferHandles[id], let transfer = transfers[handle] else {
            // The exchange has ended, perhaps without the whole file, and kept what had come.
            if let target { PartFile(target).discard() }
            return
        }
        transfer.file?.work.end(discarding: discarding)
        giveUp(transfer, failure)
    }

    /// An exchange whose file has been opened, read on, or written on.
    private func goOn(_ id: UInt64) {
        if let file = opening[id] {
            do throws(NetworkFailure) {
                guard let opened = try file.opened() else { return }
                opening[id] = nil
                begin(id, file.request, opened, file.intake, file.receiver, in: file.lane)
            } catch {
                giveUp(file, error)
            }
        } else if let transfer = naming[id] {
            if transfer.fileEnded() { naming[id] = nil }
        } else if let handle = transferHandles[id], let transfer = transfers[handle] {
            let code = transfer.readOn()
            if code != CURLE_OK { giveUp(transfer, transfer.failure(code)) }
        }
    }

    private func giveUp(_ file: OpeningFile, _ failure: NetworkFailure, discarding: Bool = false) {
        opening[file.id] = nil
        if let lane = file.lane { freed.append(lane) }
        file.end(discarding: discarding)
        file.receiver.fail(failure)
    }

    /// Notes that a transfer is not read until its owner's intake is opened.
    private func hold(_ id: UInt64, for intake: Intake) {
        let owner = ObjectIdentifier(intake)
        let now = Clock.monotonic
        held[owner, default: []].append((id, now))
        if intake.unreadSince == nil { intake.setUnread(since: now) }
    }

    /// Reads each waiting transfer of an owner once, oldest first, until the intake is shut again.
    private func readOn(_ intake: Intake) {
        let owner = ObjectIdentifier(intake)
        var waiting = (held.removeValue(forKey: owner) ?? [])[...]
        while !intake.isShut, let (id, _) = waiting.popFirst() {
            if let socket = sockets[id] {
                socket.readOn(now: Clock.monotonic)
                read(id)
            } else if let transfer = streams[id] {
                let code = transfer.readOn()
                if code != CURLE_OK { giveUp(transfer, transfer.handle.failure(code)) }
            }
        }
        // Transfers that were read and wait again come after those that had no turn.
        if !waiting.isEmpty { held[owner] = Array(waiting) + (held[owner] ?? []) }
        intake.setUnread(since: held[owner]?.first?.since)
    }

    /// Messages that were queued together are written together.
    private func writeUnwritten() {
        guard !unwritten.isEmpty else { return }
        let now = Clock.monotonic
        for id in unwritten {
            guard let socket = sockets[id] else { continue }
            if socket.wantsWrite { socket.flush(now: now) }
            settle(socket)
        }
        unwritten.removeAll(keepingCapacity: true)
    }

    private func forget(_ transfer: HTTPTransfer) {
        _ = curl.multiRemove(multi, transfer.handle.pointer)
        if let lane = transfer.lane { freed.append(lane) }
        transfers[transfer.handle.pointer] = nil
        transferHandles[transfer.id] = nil
        streams[transfer.id] = nil
        unanswered[transfer.id] = nil
    }

    private func giveUp(_ transfer: HTTPTransfer, _ failure: NetworkFailure) {
        forget(transfer)
        transfer.fail(failure)
        // A handle that was paused may stay paused after a reset, so it is not used again.
        if !transfer.wasHeld { recycle(transfer.handle) }
    }

    private func recycle(_ handle: CurlHandle) {
        guard idleHandles.count < NetworkLoop.idleHandleLimit else { return }
        handle.reset()
        idleHandles.append(handle)
    }

    // MARK: Sockets

    private func read(_ id: UInt64) {
        guard let socket = sockets[id] else { return }
        let wasHeld = socket.isHeld
        if socket.read(through: buffer, now: Clock.monotonic) { unread.append(id) }
        if socket.isHeld, !wasHeld { hold(id, for: socket.intake) }
        settle(socket)
    }

    /// Brings epoll in line with what a socket wants now, or releases one that has ended.
    private func settle(_ socket: SocketTransfer) {
        if socket.isEnded {
            if socket.watched != 0 {
                epoll_ctl(epoll, EPOLL_CTL_DEL, socket.descriptor, nil)
                socket.watched = 0
            }
            if socket.descriptor >= 0 { ownDescriptors.remove(socket.descriptor) }
            _ = curl.multiRemove(multi, socket.handle.pointer)
            sockets[socket.id] = nil
            socketIDs[socket.handle.pointer] = nil
            return
        }
        guard socket.descriptor >= 0 else { return }
        if socket.hasFailedToWrite, !socket.isHeld, !unread.contains(socket.id) { unread.append(socket.id) }
        let wanted = (socket.isHeld ? 0 : EPOLLIN.rawValue) | (socket.wantsWrite ? EPOLLOUT.rawValue : 0)
        guard wanted != socket.watched else { return }
        if wanted == 0 {
            // A socket is not watched without a wanted event, since epoll would report again and again that the peer is
            // gone.
            epoll_ctl(epoll, EPOLL_CTL_DEL, socket.descriptor, nil)
            socket.watched = 0
        } else if setEvents(socket.descriptor, wanted, tag: socket.id) {
            socket.watched = wanted
            ownDescriptors.insert(socket.descriptor)
        } else {
            socket.end(NetworkFailure(.cannotConnect, "the system cannot watch the socket"))
            settle(socket)
        }
    }

    /// libcurl asks to watch one of its sockets.
    private func watch(_ socket: curl_socket_t, _ what: Int32) {
        if what == CURL_POLL_REMOVE {
            // The socket may belong to a WebSocket now, and is watched as that.
            guard !ownDescriptors.contains(socket) else { return }
            epoll_ctl(epoll, EPOLL_CTL_DEL, socket, nil)
            return
        }
        var wanted: UInt32 = 0
        if what == CURL_POLL_IN || what == CURL_POLL_INOUT { wanted |= EPOLLIN.rawValue }
        if what == CURL_POLL_OUT || what == CURL_POLL_INOUT { wanted |= EPOLLOUT.rawValue }
        // If the system has no memory for it, the transfer's own timeout ends it.
        _ = setEvents(socket, wanted, tag: NetworkLoop.curlTag | UInt64(UInt32(bitPattern: socket)))
    }

    /// Watches `descriptor` for `wanted`, whether or not it was watched before.
    private func setEvents(_ descriptor: Int32, _ wanted: UInt32, tag: UInt64) -> Bool {
        var event = epoll_event()
        event.events = wanted
        event.data.u64 = tag
        if epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) == 0 { return true }
        return errno == EEXIST && epoll_ctl(epoll, EPOLL_CTL_MOD, descriptor, &event) == 0
    }
}
