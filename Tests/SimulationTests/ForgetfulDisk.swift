import Foundation
import SyncNetwork

/// The disk under files that are received: real files, and a power cut makes zeros of what was not synced.
final class ForgetfulDisk: @unchecked Sendable {
    private struct Unsynced {
        /// Of its own, since the writer closes its one.
        let descriptor: Int32
        var ranges: [(place: Int64, count: Int)] = []
    }

    /// By inode.
    private var files: [UInt64: Unsynced] = [:]

    deinit { for file in files.values { close(file.descriptor) } }

    var calls: PartDisk {
        PartDisk(
            write: { [self] descriptor, bytes, place in
                let count = PartDisk.system.write(descriptor, bytes, place)
                if count > 0 { wrote(descriptor, place, count) }
                return count
            },
            sync: { [self] descriptor in
                if let status = status(descriptor) { forget(UInt64(status.st_ino)) }
                return 0
            })
    }

    private func status(_ descriptor: Int32) -> stat? {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? status : nil
    }

    private func wrote(_ descriptor: Int32, _ place: Int64, _ count: Int) {
        for (inode, file) in files where status(file.descriptor)?.st_nlink == 0 { forget(inode) }
        guard let status = status(descriptor) else { return }
        let inode = UInt64(status.st_ino)
        // Not a copy of the descriptor, which would share its lock.
        if files[inode] == nil {
            files[inode] = Unsynced(descriptor: open("/proc/self/fd/\(descriptor)", O_WRONLY | O_CLOEXEC))
        }
        files[inode]?.ranges.append((place, count))
    }

    private func forget(_ inode: UInt64) {
        if let file = files.removeValue(forKey: inode) { close(file.descriptor) }
    }

    /// What was not synced is zeros, as long as it was; gives whether there was any.
    func cutPower() -> Bool {
        var isLost = false
        for (inode, file) in files {
            let size = status(file.descriptor)?.st_size ?? 0
            for range in file.ranges where range.place < Int64(size) {
                let count = min(range.count, Int(Int64(size) - range.place))
                let zeros = [UInt8](repeating: 0, count: count)
                isLost = pwrite(file.descriptor, zeros, count, off_t(range.place)) > 0 || isLost
            }
            forget(inode)
        }
        return isLost
    }
}
