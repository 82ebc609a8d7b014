public typealias EventCallback = @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?, Int) -> Void
public typealias ResultCallback = @convention(c) (UnsafeMutableRawPointer?, Int32, UnsafePointer<CChar>?, Int) -> Void
public typealias DestroyCallback = @convention(c) (UnsafeMutableRawPointer?) -> Void

/// Who hears events, and what to do with their context when nobody does any more.
struct Listener: @unchecked Sendable {
    var event: EventCallback?
    var result: ResultCallback?
    var userData: UnsafeMutableRawPointer?
    var destroy: DestroyCallback?

    func end() { destroy?(userData) }
}
