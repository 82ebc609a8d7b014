import Glibc
import SyncModel

/// Texts that come from the host or go to it.
package enum CText {
    /// 16 MiB, the most a text may have.
    static let limit = 16 << 20

    /// A NUL-terminated copy on the C heap, for the caller to free; `nil` when memory is short.
    package static func copy(_ bytes: [UInt8]) -> UnsafeMutablePointer<CChar>? { bytes.withUnsafeBytes { copy($0) } }

    static func copy(_ bytes: UnsafeRawBufferPointer) -> UnsafeMutablePointer<CChar>? {
        guard let memory = malloc(bytes.count + 1) else { return nil }
        if let base = bytes.baseAddress { memcpy(memory, base, bytes.count) }
        memory.storeBytes(of: 0, toByteOffset: bytes.count, as: UInt8.self)
        return memory.assumingMemoryBound(to: CChar.self)
    }

    /// Reads a text of the host and checks that it is not NULL, not too long, and UTF-8.
    package static func read(_ pointer: UnsafePointer<CChar>?, _ name: String) throws(BorderError) -> [UInt8] {
        guard let pointer else { throw BorderError(.invalidArgument, "\(name) is NULL") }
        let count = strnlen(pointer, limit + 1)
        guard count <= limit else { throw BorderError(.invalidArgument, "\(name) is longer than 16 MiB") }
        let bytes = [UInt8](UnsafeRawBufferPointer(start: pointer, count: count))
        guard isUTF8(bytes) else { throw BorderError(.invalidArgument, "\(name) is not UTF-8") }
        return bytes
    }

    package static func readString(_ pointer: UnsafePointer<CChar>?, _ name: String) throws(BorderError) -> String {
        String(decoding: try read(pointer, name), as: UTF8.self)
    }

    /// Reads a document of the host.
    package static func document<Document>(
        _ bytes: [UInt8], _ read: ([UInt8]) throws(DocumentError) -> Document
    ) throws(BorderError) -> Document {
        do throws(DocumentError) { return try read(bytes) } catch { throw BorderError(error) }
    }

    private static func isUTF8(_ bytes: [UInt8]) -> Bool { String(validating: bytes, as: UTF8.self) != nil }
}
