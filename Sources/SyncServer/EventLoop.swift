import CLinux
import Glibc

/// One thread's epoll: descriptors with their handlers, and timers.
final class EventLoop {
    typealias Handler = (UInt32) -> Void

    private struct Timer {
        let due: Int64
        let number: Int
        let action: () -> Void
    }

    private let descriptor: Int32
    private var handlers: [Int32: Handler] = [:]
    private var timers: [Timer] = []
    private var timerNumber = 0
    private(set) var isStopping = false

    init?() {
        descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard descriptor >= 0 else { return nil }
    }

    deinit { close(descriptor) }

    /// Calls `handler` with the epoll events of a descriptor until `remove`. `false` when it cannot be watched.
    @discardableResult
    func add(_ watched: Int32, events: UInt32 = EPOLLIN.rawValue, _ handler: @escaping Handler) -> Bool {
        var event = epoll_event()
        event.events = events
        event.data.fd = watched
        guard epoll_ctl(descriptor, EPOLL_CTL_ADD, watched, &event) == 0 else { return false }
        handlers[watched] = handler
        return true
    }

    func change(_ watched: Int32, events: UInt32) {
        var event = epoll_event()
        event.events = events
        event.data.fd = watched
        epoll_ctl(descriptor, EPOLL_CTL_MOD, watched, &event)
    }

    func remove(_ watched: Int32) {
        guard handlers.removeValue(forKey: watched) != nil else { return }
        var event = epoll_event()
        epoll_ctl(descriptor, EPOLL_CTL_DEL, watched, &event)
    }

    /// Runs `action` once, that many milliseconds from now.
    func after(_ milliseconds: Int64, _ action: @escaping () -> Void) {
        timerNumber += 1
        let due = Clock.monotonic() &+ max(0, min(milliseconds, 86_400_000))
        let timer = Timer(due: due, number: timerNumber, action: action)
        let place = timers.firstIndex { $0.due > due } ?? timers.endIndex
        timers.insert(timer, at: place)
    }

    func stop() { isStopping = true }

    /// Waits for events at most that long, serves them and the timers that are due, and calls `idle` after each round.
    func run(patience: () -> Int64, idle: () -> Void) {
        var events = [epoll_event](repeating: epoll_event(), count: 256)
        while !isStopping {
            var wait = patience()
            if let timer = timers.first { wait = min(wait, max(0, timer.due &- Clock.monotonic())) }
            let count = epoll_wait(descriptor, &events, Int32(events.count), Int32(clamping: wait))
            if count > 0 {
                for index in 0..<Int(count) {
                    // A handler of this round may have removed another one.
                    handlers[events[index].data.fd]?(events[index].events)
                }
            }
            let now = Clock.monotonic()
            while let timer = timers.first, timer.due <= now {
                timers.removeFirst()
                timer.action()
            }
            idle()
        }
    }
}
