import CLinux
import Glibc

/// Random bytes from the kernel, fit for masks and keys that a peer must not guess.
public enum SystemRandom {
    /// Fills `bytes`. Returns `false` if the kernel refuses; the bytes are then not random.
    public static func fill(_ bytes: inout [UInt8]) -> Bool {
        bytes.withUnsafeMutableBytes { buffer in
            var filled = 0
            while filled < buffer.count {
                let count = getrandom(buffer.baseAddress?.advanced(by: filled), buffer.count - filled, 0)
                if count < 0 {
                    if errno == EINTR { continue }
                    return false
                }
                filled += count
            }
            return true
        }
    }
}
