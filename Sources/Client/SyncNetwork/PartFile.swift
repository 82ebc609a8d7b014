import CLinux
import Glibc
import SyncBytes
import SyncThreads
import SyncWebSocket

/// The names of a file that is being received, in the folder of its target: "NAME.HEX.part" with what has come, and
/// "NAME.HEX.version" with the version to which that belongs, and how many of its bytes are on the disk. HEX is a part
/// of the checksum of source and target. A NAME that is too long is cut.
package struct PartFile: Sendable {
    package let path: String
    private let versionPath: String
    private let disk: PartDisk
    /// How often the lock is tried, and microseconds in between.
    private static let attempts = 50
    private static let pause: UInt32 = 10_000
    private static let nameLimit = 255
    /// Digits of the number of bytes at the beginning of the version's file. The number is written over in its place:
    /// it lies within the first sector, which a disk writes as a whole.
    private static let digits = 20

    package init(_ target: HTTPTarget, _ disk: PartDisk = .system) {
        self.disk = disk
        let sum = Hex.text(SHA1.digest(Array(target.source.utf8) + [0] + Array(target.path.utf8)).prefix(8))
        let slash = target.path.utf8.lastIndex(of: UInt8(ascii: "/"))
        let folder = slash.map { String(target.path[...$0]) } ?? ""
        var name = slash.map { target.path[target.path.utf8.index(after: $0)...] } ?? target.path[...]
        while name.utf8.count > PartFile.nameLimit - ".\(sum).version".utf8.count { name = name.dropLast() }
        path = "\(folder)\(name).\(sum).part"
        versionPath = "\(folder)\(name).\(sum).version"
    }

    /// Opens and locks the part for this process alone. Keeps what an earlier exchange has left if this one can go on
    /// with it.
    func open() throws(NetworkFailure) -> (descriptor: Int32, part: ReceivedPart?) {
        for _ in 0..<PartFile.attempts {
            let descriptor = shim_open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
            guard descriptor >= 0 else { throw NetworkFailure(.unwritable, path, errno: errno) }
            do throws(NetworkFailure) {
                if try isMine(descriptor) { return (descriptor, try part(descriptor)) }
            } catch {
                close(descriptor)
                throw error
            }
            close(descriptor)
        }
        throw NetworkFailure(.busy, path)
    }

    /// Removes what an exchange that has ended left, on a thread of its own. What another exchange is writing stays;
    /// where the system gives no thread, all of it stays.
    func discard() {
        NativeThread("sm-file") { remove() }?.detach()
    }

    package func remove() {
        for _ in 0..<PartFile.attempts {
            let descriptor = shim_open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0)
            guard descriptor >= 0 else { return }
            defer { close(descriptor) }
            do throws(NetworkFailure) {
                if try isMine(descriptor) { return leave(descriptor, discarding: true) }
            } catch {
                return // It is no part of ours.
            }
        }
    }

    /// Locks the opened file. Gives whether it is locked, still has its name, and can be read and written by its owner
    /// alone.
    private func isMine(_ descriptor: Int32) throws(NetworkFailure) -> Bool {
        var opened = stat()
        guard fstat(descriptor, &opened) == 0, opened.st_mode & S_IFMT == S_IFREG else {
            throw NetworkFailure(.unwritable, path)
        }
        // A file of another user, or one with a second name, is not written to.
        guard opened.st_uid == geteuid(), opened.st_nlink == 1 else {
            // A file that has no name left was removed by the exchange that had the lock before.
            guard opened.st_nlink == 0 || unlink(path) == 0 || errno == ENOENT else {
                throw NetworkFailure(.unwritable, path, errno: errno)
            }
            return false
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            // An exchange that has just ended may still write what had come.
            usleep(PartFile.pause)
            return false
        }
        var named = stat()
        guard stat(path, &named) == 0, named.st_ino == opened.st_ino, named.st_dev == opened.st_dev else {
            return false
        }
        guard opened.st_mode & 0o077 == 0 || fchmod(descriptor, 0o600) == 0 else {
            throw NetworkFailure(.unwritable, path, errno: errno)
        }
        return true
    }

    private func part(_ descriptor: Int32) throws(NetworkFailure) -> ReceivedPart? {
        let size = Int64(lseek(descriptor, 0, SEEK_END))
        guard size > 0 else { return nil }
        if let (version, noted) = noted, noted > 0, noted <= size, version.total < 0 || size <= version.total {
            // Bytes behind the noted size may never have reached the disk.
            guard noted == size || ftruncate(descriptor, off_t(noted)) == 0 else {
                throw NetworkFailure(.unwritable, path, errno: errno)
            }
            return ReceivedPart(size: noted, version: version)
        }
        try startOver(descriptor, nil)
        return nil
    }

    /// The version to which the part belongs, and how many of its bytes are on the disk.
    private var noted: (FileVersion, Int64)? {
        let descriptor = shim_open(versionPath, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(),
            status.st_nlink == 1
        else { return nil }
        var bytes = [UInt8](repeating: 0, count: 1024)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        guard count > PartFile.digits, bytes[PartFile.digits] == 10,
            let noted = Int64(String(decoding: bytes[..<PartFile.digits], as: UTF8.self)), noted >= 0,
            let version = FileVersion(Array(bytes[(PartFile.digits + 1)..<count]))
        else { return nil }
        return (version, noted)
    }

    private static func number(_ count: Int64) -> [UInt8] {
        let text = Array(String(count).utf8)
        return [UInt8](repeating: UInt8(ascii: "0"), count: max(0, digits - text.count)) + text
    }

    /// Notes that `count` bytes of the part are on the disk. The note itself is on the disk when this returns. Nothing
    /// is noted of a part without a version.
    func note(_ count: Int64) throws(NetworkFailure) {
        let file = shim_open(versionPath, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0)
        if file < 0, errno == ENOENT { return }
        guard file >= 0 else { throw NetworkFailure(.unwritable, path, errno: errno) }
        defer { close(file) }
        let isWritten = PartFile.number(count).withUnsafeBytes { disk.writeAll($0, at: 0, file) }
        guard isWritten, disk.sync(file) == 0 else { throw NetworkFailure(.unwritable, path, errno: errno) }
    }

    /// Drops what has come; what comes now is of this version. Without a version, or when it cannot be written, no
    /// later exchange can go on with what comes.
    func startOver(_ descriptor: Int32, _ version: FileVersion?) throws(NetworkFailure) {
        // A power cut may bring the old names back, with other bytes in the part.
        if let noted, noted.1 > 0 { try note(0) }
        unlink(versionPath)
        guard ftruncate(descriptor, 0) == 0 else { throw NetworkFailure(.unwritable, path, errno: errno) }
        guard let version else { return }
        let file = shim_open(versionPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { return }
        defer { close(file) }
        let bytes = PartFile.number(0) + [10] + Array(version.text.utf8)
        if !bytes.withUnsafeBytes({ disk.writeAll($0, at: 0, file) }) { unlink(versionPath) }
    }

    /// The exchange has ended without the whole file. A part that a later exchange can go on with stays, unless
    /// `discarding`.
    func leave(_ descriptor: Int32, discarding: Bool) {
        if discarding || lseek(descriptor, 0, SEEK_END) == 0 || (noted?.1 ?? 0) == 0 {
            unlink(versionPath)
            unlink(path)
        }
    }

    /// The file is about to get its final name.
    func dropVersion() { unlink(versionPath) }
}
