import Glibc

/// How a file that is received is written. Tests have one that forgets what was not synced, as a power cut does.
public struct PartDisk: Sendable {
    /// Writes bytes at a place; gives how many, negative with `errno` when it cannot.
    public var write: @Sendable (Int32, UnsafeRawBufferPointer, Int64) -> Int
    /// What was written is on the disk when this returns 0.
    public var sync: @Sendable (Int32) -> Int32

    public init(
        write: @escaping @Sendable (Int32, UnsafeRawBufferPointer, Int64) -> Int,
        sync: @escaping @Sendable (Int32) -> Int32
    ) {
        self.write = write
        self.sync = sync
    }

    public static let system = PartDisk(
        write: { pwrite($0, $1.baseAddress, $1.count, off_t($2)) }, sync: { fdatasync($0) })

    /// Writes all of it; `false` with `errno` when it cannot.
    func writeAll(_ bytes: UnsafeRawBufferPointer, at place: Int64, _ descriptor: Int32) -> Bool {
        var done = 0
        while done < bytes.count {
            let count = write(descriptor, UnsafeRawBufferPointer(rebasing: bytes[done...]), place + Int64(done))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            done += count
        }
        return true
    }
}
