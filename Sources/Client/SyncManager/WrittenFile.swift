import SyncModel
import SyncNetwork

/// A file that the engine writes: its bytes are handed to a thread of their own, like those of a download.
final class WrittenFile: FileWriting {
    private let writer: FileWriter
    private let isStarted: Bool
    private var hasBegun = false

    init(_ path: String, replaces: Bool) {
        // Nobody needs to be woken: the engine looks at the state again after a pause.
        writer = FileWriter(HTTPTarget(path: path, source: "export", replaces: replaces)) {}
        isStarted = writer.start()
    }

    deinit { discard() }

    var state: FileWritingState {
        guard isStarted else { return .failed(.unwritable) }
        switch writer.outcome {
        case .opening: return .opening
        case .ready: return .ready
        case .complete: return .complete
        case .failed(let failure):
            return .failed(DiskFile.Problem(rawValue: failure.code).map { FileProblem($0) } ?? .unwritable)
        case .ended: return .failed(.unwritable)
        }
    }

    func take(_ bytes: [UInt8]) -> Bool {
        // A part that a killed process has left does not belong to this file.
        if !hasBegun { writer.startOver(nil) }
        hasBegun = true
        return bytes.withUnsafeBytes { writer.take($0) } == true
    }

    func finish() { writer.finish() }

    func discard() {
        if isStarted { writer.end(discarding: true) }
    }
}
