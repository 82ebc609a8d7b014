import SyncModel
import SyncNetwork

/// The files of this machine, as the engine and the transport speak of them.
package final class DiskFiles: FileLooking {
    package init() {}

    package func look(at path: String) throws(FileProblem) -> FileStamp {
        do throws(DiskFile.Problem) {
            let stamp = try DiskFile.look(at: path)
            return FileStamp(size: stamp.size, modified: stamp.modified, inode: stamp.inode)
        } catch {
            throw FileProblem(error)
        }
    }

    package func write(to path: String, replaces: Bool) -> any FileWriting { WrittenFile(path, replaces: replaces) }
}

extension FileProblem {
    init(_ problem: DiskFile.Problem) {
        self =
            switch problem {
            case .missing: .missing
            case .unreadable: .unreadable
            case .notRegular: .notRegular
            case .empty: .empty
            case .changed: .changed
            case .exists: .exists
            case .unwritable: .unwritable
            case .busy: .busy
            case .unavailable: .unavailable
            }
    }
}

extension HTTPFile {
    init(_ file: TransportFile) {
        switch file {
        case .sent(let form):
            let stamp = DiskFile.Stamp(
                size: form.stamp.size, modified: form.stamp.modified, inode: form.stamp.inode)
            self = .sent(HTTPForm(
                fields: form.fields.map { ($0.name, $0.value) }, part: form.part, fileName: form.fileName,
                type: form.type, path: form.path, stamp: stamp))
        case .received(let target):
            self = .received(HTTPTarget(
                path: target.path, source: target.source, limit: target.limit, replaces: target.replaces))
        }
    }
}
