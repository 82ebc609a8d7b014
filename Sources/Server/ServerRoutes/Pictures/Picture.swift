/// The kind and size of a PNG or JPEG, as its first bytes say, before the picture is unpacked.
struct Picture: Equatable {
    enum Kind { case png, jpeg }

    let kind: Kind
    let width: Int
    let height: Int

    /// `nil` when it is neither, or ends before it has said its size.
    init?(_ bytes: [UInt8]) {
        if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            guard bytes.count >= 24, bytes[12..<16].elementsEqual("IHDR".utf8) else { return nil }
            func number(at place: Int) -> Int { bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) } }
            (kind, width, height) = (.png, number(at: 16), number(at: 20))
        } else if bytes.starts(with: [0xFF, 0xD8, 0xFF]), let size = Picture.sizeOfJPEG(bytes) {
            (kind, width, height) = (.jpeg, size.width, size.height)
        } else {
            return nil
        }
        if width < 1 || height < 1 { return nil }
    }

    /// The size stands in the header of the first frame; the segments before it say their lengths.
    private static func sizeOfJPEG(_ bytes: [UInt8]) -> (width: Int, height: Int)? {
        func number(at place: Int) -> Int { Int(bytes[place]) << 8 | Int(bytes[place + 1]) }
        var place = 2
        while place + 9 <= bytes.count {
            guard bytes[place] == 0xFF else { return nil }
            switch bytes[place + 1] {
            case 0xFF: place += 1
            case 0x01, 0xD0...0xD8: place += 2
            case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF:
                return (width: number(at: place + 7), height: number(at: place + 5))
            case 0xD9, 0xDA: return nil
            default: place += 2 + max(2, number(at: place + 2))
            }
        }
        return nil
    }

    /// How many scans a JPEG has, which are unpacked one over the other; counting ends at `limit`. Bytes behind the end
    /// of the picture do not belong to it.
    static func scans(ofJPEG bytes: [UInt8], limit: Int) -> Int {
        var (count, place) = (0, 2)
        while place + 4 <= bytes.count, count < limit {
            guard bytes[place] == 0xFF else {
                place += 1
                continue
            }
            switch bytes[place + 1] {
            // Compressed points of the picture, and marks that may stand among them.
            case 0x00, 0x01, 0xD0...0xD8: place += 2
            case 0xFF: place += 1
            case 0xD9: return count
            case let marker:
                if marker == 0xDA { count += 1 }
                place += 2 + max(2, Int(bytes[place + 2]) << 8 | Int(bytes[place + 3]))
            }
        }
        return count
    }

    /// The largest size with the picture's proportions that fits into the box, but never larger than the picture.
    func fitted(into box: ThumbnailSize) -> (width: Int, height: Int) {
        if width <= box.width, height <= box.height { return (width, height) }
        // Which side decides; no product is near the limits of a number.
        return width * box.height > height * box.width
            ? (box.width, max(1, height * box.width / width)) : (max(1, width * box.height / height), box.height)
    }
}

/// A size that a client wants a smaller picture to fit into, as it stands in a form: "100,80".
struct ThumbnailSize {
    let width: Int
    let height: Int

    /// `nil` when the text is no size, or a useless one.
    init?(_ text: String) {
        let sides = text.split(separator: ",", omittingEmptySubsequences: false).compactMap { Int($0) }
        guard sides.count == 2, sides.allSatisfy({ (1...10_000).contains($0) }) else { return nil }
        (width, height) = (sides[0], sides[1])
    }
}
