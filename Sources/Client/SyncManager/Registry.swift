import Glibc
import SyncThreads
import Synchronization

/// All live handles of the process. A handle is a number that is never given out twice, in the form of a pointer that
/// is never dereferenced. So a stale or foreign handle is simply not found.
package enum Registry {
    private static let monitor = Monitor()
    nonisolated(unsafe) private static var objects: [UInt: AnyObject] = [:]
    nonisolated(unsafe) private static var last: UInt = 0x1000

    /// The process that called `sm_setup`; 0 before. It is read before any lock is taken, since in a forked child a
    /// lock may be held for ever.
    private static let owner = Atomic<Int32>(0)

    /// Makes this process the owner, unless it is a fork of the owner.
    package static func claimProcess() throws(BorderError) {
        _ = owner.compareExchange(expected: 0, desired: getpid(), ordering: .acquiringAndReleasing)
        try checkProcess()
    }

    static func checkProcess() throws(BorderError) {
        let owner = owner.load(ordering: .acquiring)
        if owner != 0, owner != getpid() {
            throw BorderError(.forked, "this process is a fork of the one that called sm_setup()")
        }
    }

    package static func add(_ object: AnyObject) -> OpaquePointer? {
        monitor.locked {
            last += 16
            objects[last] = object
            return OpaquePointer(bitPattern: last)
        }
    }

    package static func remove(_ handle: OpaquePointer) { monitor.locked { objects[UInt(bitPattern: handle)] = nil } }

    private static func find(_ handle: OpaquePointer?) -> AnyObject? {
        guard let handle else { return nil }
        return monitor.locked { objects[UInt(bitPattern: handle)] }
    }

    /// What a handle stands for; `nil`: nothing does.
    package static func object(_ handle: OpaquePointer?) throws(BorderError) -> AnyObject? {
        try checkProcess()
        return find(handle)
    }

    /// The clients that live in an environment.
    package static func clients(in environment: any ClientEnvironment) -> [Client] {
        monitor.locked { objects.values.compactMap { $0 as? Client }.filter { $0.environment === environment } }
    }

    package static func client(_ handle: OpaquePointer?) throws(BorderError) -> Client {
        try checkProcess()
        guard let client = find(handle) as? Client else { throw BorderError(.invalidHandle, "no such client") }
        return client
    }

    static func collection(_ handle: OpaquePointer?) throws(BorderError) -> CollectionHandle {
        try checkProcess()
        guard let collection = find(handle) as? CollectionHandle else {
            throw BorderError(.invalidHandle, "no such collection")
        }
        return collection
    }

    /// Makes a collection's handle; refused when its client was closed meanwhile, which removes all its handles.
    static func add(collection: CollectionHandle) throws(BorderError) -> OpaquePointer? {
        try monitor.locked { () throws(BorderError) in
            if collection.client.isForgotten { throw BorderError(.closed, "the client is closed") }
            last += 16
            objects[last] = collection
            return OpaquePointer(bitPattern: last)
        }
    }

    /// Removes every handle of a client.
    static func removeAll(of client: Client) {
        monitor.locked {
            client.isForgotten = true
            objects = objects.filter { $0.value !== client && ($0.value as? CollectionHandle)?.client !== client }
        }
    }
}
