import CLinux
import Glibc
import ServerBase

/// One thread's epoll: descriptors with their handlers, and the server's timers.
public final class EventLoop {
    public typealias Handler = (UInt32) -> Void

    private let descriptor: Int32
    private var handlers: [Int32: Handler] = [:]
    private let timers: TimerQueue
    private let clock: Clock
    public private(set) var isStopping = false

    public init?(timers: TimerQueue, clock: Clock) {
        self.timers = timers
        self.clock = clock
        descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard descriptor >= 0 else { return nil }
    }

    deinit { close(descriptor) }

    /// Calls `handler` with the epoll events of a descriptor until `remove`. `false` when it cannot be watched.
    @discardableResult
    public func add(_ watched: Int32, events: UInt32 = EPOLLIN.rawValue, _ handler: @escaping Handler) -> Bool {
        var event = epoll_event()
        event.events = events
        event.data.fd = watched
        guard epoll_ctl(descriptor, EPOLL_CTL_ADD, watched, &event) == 0 else { return false }
        handlers[watched] = handler
        return true
    }

    public func change(_ watched: Int32, events: UInt32) {
        var event = epoll_event()
        event.events = events
        event.data.fd = watched
        epoll_ctl(descriptor, EPOLL_CTL_MOD, watched, &event)
    }

    public func remove(_ watched: Int32) {
        guard handlers.removeValue(forKey: watched) != nil else { return }
        var event = epoll_event()
        epoll_ctl(descriptor, EPOLL_CTL_DEL, watched, &event)
    }

    public func stop() { isStopping = true }

    /// Waits for events at most that long, serves them and the timers that are due, and calls `idle` after each round.
    public func run(patience: () -> Int64, idle: () -> Void) {
        var events = [epoll_event](repeating: epoll_event(), count: 256)
        while !isStopping {
            var wait = patience()
            if let due = timers.nextDue { wait = min(wait, max(0, due &- clock.monotonic())) }
            let count = epoll_wait(descriptor, &events, Int32(events.count), Int32(clamping: wait))
            if count > 0 {
                for index in 0..<Int(count) {
                    // A handler of this round may have removed another one.
                    handlers[events[index].data.fd]?(events[index].events)
                }
            }
            timers.runDue()
            idle()
        }
    }
}
