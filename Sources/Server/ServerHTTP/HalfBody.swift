import CLinux
import Glibc

/// A body that breaks off in its middle.
final class HalfBody {
    private let part: [UInt8]
    private let file: (descriptor: Int32, start: Int64)?
    /// The length that is announced.
    let count: Int64

    init(_ response: HTTPResponse) {
        if let file = response.filePart, file.count > 1 {
            let descriptor = shim_open(file.path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW, 0)
            self.file = (descriptor, file.range.lowerBound)
            count = file.count
            part = []
        } else {
            file = nil
            part = response.body.count > 1 ? response.body : [0x7B, 0x7D]
            count = Int64(part.count)
        }
    }

    deinit { if let file, file.descriptor >= 0 { close(file.descriptor) } }

    /// Fills the buffer; -2 breaks the connection.
    func read(_ position: UInt64, _ buffer: UnsafeMutablePointer<CChar>, _ room: Int) -> Int {
        let start = Int64(clamping: position)
        let wanted = Int(clamping: min(Int64(room), count / 2 - start))
        guard wanted > 0 else { return -2 }
        if let file {
            let got = pread(file.descriptor, buffer, wanted, off_t(file.start + start))
            return got > 0 ? got : -2
        }
        part.withUnsafeBytes { raw in
            let start = Int(start)
            UnsafeMutableRawBufferPointer(start: buffer, count: wanted).copyMemory(
                from: UnsafeRawBufferPointer(rebasing: raw[start..<(start + wanted)]))
        }
        return wanted
    }
}
