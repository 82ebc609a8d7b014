import Glibc
import SyncManager
import SyncModel
import SyncSimulation

/// The files of this machine that clients of a world send.
final class WorldFiles: UploadedFiles {
    private static let pieceSize = 1 << 16

    func bytes(for form: TransportForm) throws(FileProblem) -> [UInt8] {
        guard try DiskFiles().look(at: form.path) == form.stamp else { throw .changed }
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

    func took(_ form: TransportForm, status: Int, _ body: [UInt8]) {}
}
