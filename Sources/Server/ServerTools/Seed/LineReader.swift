import CZlib
import Glibc
import ServerBase
import ServerChat

/// Reads a text file line by line, plain or gzip: zlib tells which by itself.
final class LineReader {
    private var file: gzFile?
    private var buffer = [UInt8](repeating: 0, count: 256 << 10)
    private var start = 0
    private var end = 0

    init?(path: String) {
        file = gzopen(path, "rb")
        guard let file else { return nil }
        gzbuffer(file, 256 << 10)
    }

    deinit { if let file { gzclose(file) } }

    /// The next line without its end; `nil` at the end of the file.
    func next() throws -> [UInt8]? {
        var line: [UInt8] = []
        while true {
            if start == end {
                guard try fill() else { return line.isEmpty ? nil : line }
            }
            let chunk = buffer[start..<end]
            if let newline = chunk.firstIndex(of: 0x0A) {
                line.append(contentsOf: chunk[..<newline])
                start = newline + 1
                return line
            }
            line.append(contentsOf: chunk)
            start = end
        }
    }

    private func fill() throws -> Bool {
        guard let file else { return false }
        let count = buffer.withUnsafeMutableBytes { gzread(file, $0.baseAddress, UInt32($0.count)) }
        if count < 0 { throw SetupError("the file cannot be read or is damaged") }
        start = 0
        end = Int(count)
        return count > 0
    }
}
