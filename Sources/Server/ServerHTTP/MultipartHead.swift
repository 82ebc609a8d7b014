import SyncBytes

/// What the lines before a part of a multipart body say of it.
struct MultipartHead {
    private(set) var name = ""
    /// `nil` for plain fields.
    private(set) var fileName: String?
    private(set) var type = ""

    mutating func take(_ line: String) {
        let lower = line.lowercased()
        if lower.hasPrefix("content-disposition:") {
            name = MultipartHead.parameter("name", of: line) ?? ""
            fileName = MultipartHead.parameter("filename", of: line)
        } else if lower.hasPrefix("content-type:") {
            let value = line.utf8.dropFirst("content-type:".utf8.count).drop { $0 == 0x20 }
            type = String(decoding: value, as: UTF8.self)
        }
    }

    /// The value of a header's parameter, quoted or not.
    static func parameter(_ name: String, of header: String) -> String? {
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
}
