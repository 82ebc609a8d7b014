public typealias EventCallback = @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?, Int) -> Void
public typealias ResultCallback = @convention(c) (UnsafeMutableRawPointer?, Int32, UnsafePointer<CChar>?, Int) -> Void
public typealias DestroyCallback = @convention(c) (UnsafeMutableRawPointer?) -> Void

/// The host's callbacks with their user data, and the destroy function to call when they are not used any more.
struct Listener: @unchecked Sendable {
    var event: EventCallback?
    var result: ResultCallback?
    var userData: UnsafeMutableRawPointer?
    var destroy: DestroyCallback?

    func end() { destroy?(userData) }
}
