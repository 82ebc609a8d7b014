import Glibc
import SyncManager
import SyncModel
import SyncNetwork
import SyncSimulation

/// The files of this machine that clients of a world send and write.
final class WorldFiles: UploadedFiles, FileLooking {
    private static let pieceSize = 1 << 16

    func bytes(for form: TransportForm) throws(FileProblem) -> [UInt8] {
        guard try look(at: form.path) == form.stamp else { throw .changed }
        guard let file = fopen(form.path, "re") else { throw .unreadable }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: WorldFiles.pieceSize)
        while bytes.count <= form.stamp.size {
            let count = fread(&piece, 1, piece.count, file)
            bytes += piece.prefix(count)
            if count < piece.count { break }
        }
        guard ferror(file) == 0 else { throw .unreadable }
        guard Int64(bytes.count) == form.stamp.size else { throw .changed }
        return bytes
    }

    func look(at path: String) throws(FileProblem) -> FileStamp { try DiskFiles().look(at: path) }

    func write(to path: String, replaces: Bool) -> any FileWriting { WorldWriting(path, replaces: replaces) }

    func took(_ form: TransportForm, status: Int, _ body: [UInt8]) {}
}

/// A file that is written at once: how far a thread of its own has got would differ from run to run.
private final class WorldWriting: FileWriting {
    private(set) var state = FileWritingState.ready
    private var file: ReceivedFile?

    init(_ path: String, replaces: Bool) {
        attempt { () throws(NetworkFailure) in
            let opened = try ReceivedFile(HTTPTarget(path: path, source: "export", replaces: replaces))
            file = opened
            // A part that a killed process has left does not belong to this file.
            try opened.startOver(nil)
        }
    }

    deinit { discard() }

    func take(_ bytes: [UInt8]) -> Bool {
        attempt { () throws(NetworkFailure) in try file?.write(bytes) }
        return true
    }

    func finish() {
        attempt { () throws(NetworkFailure) in
            try file?.finish { true }
            file = nil
            state = .complete
        }
    }

    func discard() {
        file?.leave(discarding: true)
        file = nil
    }

    private func attempt(_ step: () throws(NetworkFailure) -> Void) {
        guard state == .ready else { return }
        do throws(NetworkFailure) {
            try step()
        } catch {
            if case .file(let problem) = TransportFailure(error).kind {
                state = .failed(problem)
            } else {
                state = .failed(.unwritable)
            }
            discard()
        }
    }
}
