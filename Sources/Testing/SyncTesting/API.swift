import SyncManager
import SyncModel
import SyncSimulation

// The exported functions, in the order of syncmanager_testing.h, which says what each promises.

/// Milliseconds of 366 days.
private let longest: Int64 = 31_622_400_000

/// The world of a handle.
private func world(_ handle: OpaquePointer?) throws(BorderError) -> World {
    guard let world = try Registry.object(handle) as? World else { throw BorderError(.invalidHandle, "no such world") }
    return world
}

@_cdecl("smt_world_new")
public func smt_world_new(
    _ seed: UInt64, _ options: UnsafePointer<CChar>?, _ out: UnsafeMutablePointer<OpaquePointer?>?
) -> Int32 {
    call { () throws(BorderError) in
        guard let out else { throw BorderError(.invalidArgument, "out is NULL") }
        try Registry.claimProcess()
        let parsed = options == nil
            ? WorldOptions() : try CText.document(try CText.read(options, "options"), WorldOptions.init)
        let world = try World(seed: seed, parsed)
        guard Environments.choose(world) else {
            world.end()
            throw BorderError(.busy, "there is a world already")
        }
        out.pointee = Registry.add(world)
    }
}

@_cdecl("smt_world_free")
public func smt_world_free(_ handle: OpaquePointer?) -> Int32 {
    guard let handle else { return 0 }
    return call { () throws(BorderError) in
        let world = try world(handle)
        let clients = Registry.clients(in: world)
        guard !clients.contains(where: \.isDrainedByThisThread) else {
            throw BorderError(.reentrant, "a world cannot be ended by a callback of a client in it")
        }
        Registry.remove(handle)
        Environments.leave(world)
        for client in clients { try? client.kill() }
        world.end()
    }
}

@_cdecl("smt_now")
public func smt_now(_ handle: OpaquePointer?) -> Int64 {
    status { () throws(BorderError) in try world(handle).wall }
}

@_cdecl("smt_advance")
public func smt_advance(_ handle: OpaquePointer?, _ milliseconds: Int64) -> Int32 {
    call { () throws(BorderError) in
        let world = try world(handle)
        try check(milliseconds)
        world.advance(by: milliseconds)
    }
}

@_cdecl("smt_step")
public func smt_step(_ handle: OpaquePointer?, _ milliseconds: Int64) -> Int64 {
    status { () throws(BorderError) in
        let world = try world(handle)
        try check(milliseconds)
        return world.step(by: milliseconds)
    }
}

private func check(_ milliseconds: Int64) throws(BorderError) {
    guard (0...longest).contains(milliseconds) else {
        throw BorderError(.invalidArgument, "ms must be from 0 to \(longest)")
    }
}

@_cdecl("smt_request")
public func smt_request(
    _ handle: OpaquePointer?, _ method: UnsafePointer<CChar>?, _ target: UnsafePointer<CChar>?,
    _ body: UnsafePointer<CChar>?, _ outStatus: UnsafeMutablePointer<Int32>?,
    _ outBody: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> Int32 {
    request(handle, method, target, body, outStatus, outBody, toDatabase: false)
}

@_cdecl("smt_database_request")
public func smt_database_request(
    _ handle: OpaquePointer?, _ method: UnsafePointer<CChar>?, _ target: UnsafePointer<CChar>?,
    _ body: UnsafePointer<CChar>?, _ outStatus: UnsafeMutablePointer<Int32>?,
    _ outBody: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> Int32 {
    request(handle, method, target, body, outStatus, outBody, toDatabase: true)
}

private func request(
    _ handle: OpaquePointer?, _ method: UnsafePointer<CChar>?, _ target: UnsafePointer<CChar>?,
    _ body: UnsafePointer<CChar>?, _ outStatus: UnsafeMutablePointer<Int32>?,
    _ outBody: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, toDatabase: Bool
) -> Int32 {
    call { () throws(BorderError) in
        let world = try world(handle)
        let method = try CText.readString(method, "method")
        guard ["GET", "POST", "PUT", "PATCH", "DELETE"].contains(method) else {
            throw BorderError(.invalidArgument, "method must be GET, POST, PUT, PATCH or DELETE")
        }
        let target = try CText.readString(target, "target")
        guard target.utf8.first == UInt8(ascii: "/"), TransportHeader.takes(target) else {
            throw BorderError(.invalidArgument, "target must begin with / and hold no control character")
        }
        let content = body == nil ? [] : try CText.read(body, "body")
        guard let answer = world.request(method, target, content, toDatabase: toDatabase) else {
            throw BorderError(.invalidHandle, "the world has ended")
        }
        outStatus?.pointee = Int32(clamping: answer.status)
        outBody?.pointee = CText.copy(answer.body)
    }
}

@_cdecl("smt_set_weather")
public func smt_set_weather(_ handle: OpaquePointer?, _ weather: UnsafePointer<CChar>?) -> Int32 {
    call { () throws(BorderError) in
        let world = try world(handle)
        world.set(try CText.document(try CText.read(weather, "weather"), Weather.init))
    }
}

@_cdecl("smt_disturb")
public func smt_disturb(
    _ handle: OpaquePointer?, _ userID: UnsafePointer<CChar>?, _ what: UnsafePointer<CChar>?
) -> Int32 {
    call { () throws(BorderError) in
        let world = try world(handle)
        let user = userID == nil ? nil : try CText.readString(userID, "user_id")
        guard let what = Disturbance(rawValue: try CText.readString(what, "what")) else {
            let names = Disturbance.allCases.map(\.rawValue).joined(separator: ", ")
            throw BorderError(.invalidArgument, "what must be one of \(names)")
        }
        world.disturb(by: what, user)
    }
}

@_cdecl("smt_kill")
public func smt_kill(_ client: OpaquePointer?) -> Int32 {
    call { () throws(BorderError) in
        guard let client else { throw BorderError(.invalidHandle, "client is NULL") }
        try Registry.client(client).kill()
    }
}
