import CLinux
import ServerBase
import SyncBytes

/// A body of type multipart/form-data, taken apart (RFC 7578).
struct MultipartBody {
    struct Part {
        var name = ""
        /// `nil` for plain fields.
        var fileName: String?
        var type = ""
        var bytes: [UInt8] = []
    }

    private(set) var parts: [Part] = []

    /// The most parts that are taken; each costs memory besides its bytes.
    private static let partLimit = 1000

    init(_ body: [UInt8], contentType: String) throws {
        guard let boundary = MultipartBody.parameter("boundary", of: contentType), !boundary.isEmpty,
            boundary.utf8.count <= 200
        else { throw Refusal(400_403, "The multipart body names no boundary.") }
        let delimiter = Array("--".utf8) + Array(boundary.utf8)
        guard var position = MultipartBody.find(delimiter, in: body[...], from: 0) else { throw MultipartBody.broken }
        position += delimiter.count
        while true {
            if body[position...].starts(with: Array("--".utf8)) { return }
            guard body[position...].starts(with: MultipartBody.lineEnd) else { throw MultipartBody.broken }
            position += 2
            let end = MultipartBody.lineEnd + delimiter
            guard let next = MultipartBody.find(end, in: body[...], from: max(0, position - 2)) else {
                throw MultipartBody.broken
            }
            guard parts.count < MultipartBody.partLimit else { throw Refusal.tooMany("parts") }
            if next >= position { parts.append(try MultipartBody.part(body[position..<next])) }
            position = next + 2 + delimiter.count
        }
    }

    private static let lineEnd: [UInt8] = [0x0D, 0x0A]
    private static let broken = Refusal(400_403, "The multipart body is broken.")

    private static func part(_ bytes: ArraySlice<UInt8>) throws -> Part {
        var part = Part()
        var rest = bytes
        while true {
            guard let end = find(lineEnd, in: rest, from: rest.startIndex) else { throw broken }
            let line = String(decoding: rest[rest.startIndex..<end], as: UTF8.self)
            rest = rest[(end + 2)...]
            if line.isEmpty { break }
            let lower = line.lowercased()
            if lower.hasPrefix("content-disposition:") {
                part.name = parameter("name", of: line) ?? ""
                part.fileName = parameter("filename", of: line)
            } else if lower.hasPrefix("content-type:") {
                let value = line.utf8.dropFirst("content-type:".utf8.count).drop { $0 == 0x20 }
                part.type = String(decoding: value, as: UTF8.self)
            }
        }
        guard !part.name.isEmpty else { throw broken }
        part.bytes = Array(rest)
        return part
    }

    /// The value of a header's parameter, quoted or not.
    private static func parameter(_ name: String, of header: String) -> String? {
        var index = header.utf8.startIndex
        let bytes = header.utf8
        // Parameters follow semicolons; one inside quotes begins none.
        while let semicolon = bytes[index...].firstIndex(of: UInt8(ascii: ";")) {
            var position = bytes.index(after: semicolon)
            while position != bytes.endIndex, bytes[position] == 0x20 { position = bytes.index(after: position) }
            guard let equals = bytes[position...].firstIndex(of: UInt8(ascii: "=")) else { return nil }
            let key = String(decoding: bytes[position..<equals], as: UTF8.self).lowercased()
            position = bytes.index(after: equals)
            var value: [UInt8] = []
            if position != bytes.endIndex, bytes[position] == UInt8(ascii: "\"") {
                position = bytes.index(after: position)
                while position != bytes.endIndex, bytes[position] != UInt8(ascii: "\"") {
                    if bytes[position] == UInt8(ascii: "\\"), bytes.index(after: position) != bytes.endIndex {
                        position = bytes.index(after: position)
                    }
                    value.append(bytes[position])
                    position = bytes.index(after: position)
                }
            } else {
                while position != bytes.endIndex, bytes[position] != UInt8(ascii: ";") {
                    value.append(bytes[position])
                    position = bytes.index(after: position)
                }
            }
            if key.isByteEqual(to: name) { return String(decoding: value, as: UTF8.self) }
            index = position
        }
        return nil
    }

    /// Where a text begins in the bytes, from an index on.
    private static func find(_ needle: [UInt8], in bytes: ArraySlice<UInt8>, from start: Int) -> Int? {
        guard start <= bytes.endIndex else { return nil }
        return bytes[start...].withUnsafeBytes { raw in
            guard let base = raw.baseAddress, let hit = memmem(base, raw.count, needle, needle.count) else {
                return nil
            }
            return start + (UnsafeRawPointer(hit) - base)
        }
    }
}
