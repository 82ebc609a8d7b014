import CLinux
import Glibc

/// A file that is being received, on the disk: opened and locked, written, and in the end under its name. One thread at
/// a time.
///
/// A process may be killed and the power may go at any time. After a kill the disk has all that was written; after a
/// power cut the file may have the length that it had, with zeros where bytes had not reached the disk. So what is
/// there counts only as far as `sync` has noted: first the bytes are brought to the disk, then their number is written
/// beside them. Before other bytes take their place, that number goes back to 0, on the disk too.
public final class ReceivedFile {
    private let target: HTTPTarget
    private let part: PartFile
    private let disk: PartDisk
    private let descriptor: Int32
    /// The part that an earlier exchange has left.
    public let received: ReceivedPart?
    /// Bytes that were received so far, and how many of them are on the disk and noted.
    public private(set) var size: Int64
    private var synced: Int64
    /// Something else has got the file's name meanwhile: what was received is of no use.
    private var isNameTaken = false

    /// Bytes that were written and are not noted yet.
    public var unsynced: Int64 { size - synced }

    /// Opens what an earlier exchange has left, or begins a new part. Throws when the target exists and must not be
    /// replaced.
    public init(_ target: HTTPTarget, _ disk: PartDisk = .system) throws(NetworkFailure) {
        self.target = target
        self.disk = disk
        part = PartFile(target, disk)
        guard !target.path.utf8.contains(0), !target.path.isEmpty else {
            throw NetworkFailure(.unwritable, target.path)
        }
        try ReceivedFile.checkName(target)
        (descriptor, received) = try part.open()
        size = received?.size ?? 0
        synced = size
    }

    deinit { close(descriptor) }

    /// Drops what was received before; what comes is of this version.
    public func startOver(_ version: FileVersion?) throws(NetworkFailure) {
        try part.startOver(descriptor, version)
        (size, synced) = (0, 0)
    }

    public func write(_ bytes: [UInt8]) throws(NetworkFailure) {
        guard bytes.withUnsafeBytes({ disk.writeAll($0, at: size, descriptor) }) else { throw unwritable() }
        size += Int64(bytes.count)
    }

    /// Brings what was written to the disk, and notes that for the next exchange.
    public func sync() throws(NetworkFailure) {
        guard unsynced > 0 else { return }
        // After a failure the system may report success for the same bytes the next time, so the failure is final.
        guard disk.sync(descriptor) == 0 else { throw unwritable() }
        try part.note(size)
        synced = size
    }

    /// The file is whole: it is brought to the disk, and then gets its name. When it was given up meanwhile, it gets no
    /// name.
    public func finish(ifWanted isWanted: () -> Bool) throws(NetworkFailure) {
        guard disk.sync(descriptor) == 0 else { throw unwritable() }
        isNameTaken = true
        try ReceivedFile.checkName(target)
        isNameTaken = false
        guard isWanted() else { throw NetworkFailure(.cancelled, "nobody waits for the file") }
        part.dropVersion()
        guard rename() else {
            let cause = errno
            if cause == EEXIST {
                isNameTaken = true
                throw NetworkFailure(.exists, target.path)
            }
            throw NetworkFailure(.unwritable, target.path, errno: cause)
        }
    }

    /// The exchange has ended without the whole file. A part that a later exchange can go on with stays, unless
    /// `discarding`.
    public func leave(discarding isUseless: Bool) {
        let discarding = isUseless || isNameTaken
        if !discarding {
            do throws(NetworkFailure) {
                try sync()
            } catch {
                // What was noted before counts; the exchange has ended, so there is nobody to tell.
            }
        }
        part.leave(descriptor, discarding: discarding)
    }

    private static func checkName(_ target: HTTPTarget) throws(NetworkFailure) {
        var status = stat()
        guard lstat(target.path, &status) == 0 else { return }
        guard target.replaces else { throw NetworkFailure(.exists, target.path) }
        // A link, a folder or a device is never replaced.
        guard status.st_mode & S_IFMT == S_IFREG else { throw NetworkFailure(.notRegular, target.path) }
    }

    private func rename() -> Bool {
        if target.replaces { return Glibc.rename(part.path, target.path) == 0 }
        if renameat2(AT_FDCWD, part.path, AT_FDCWD, target.path, 1) == 0 { return true }
        guard errno == EINVAL || errno == ENOSYS else { return false }
        // This file system cannot rename without replacing a file. `checkName` has seen a moment ago that there is
        // none.
        return Glibc.rename(part.path, target.path) == 0
    }

    private func unwritable() -> NetworkFailure { NetworkFailure(.unwritable, target.path, errno: errno) }
}
