/// What part of the whole an answer's body is (RFC 9110): "bytes 5-9/10", or "bytes */10" where there is no such part.
struct ContentRange: Equatable {
    /// `nil` when the body is no part.
    let first: Int64?
    let last: Int64?
    /// Bytes of the whole; `nil` when it is not said.
    let total: Int64?

    init?(_ header: String?) {
        guard let header, header.utf8.starts(with: "bytes ".utf8) else { return nil }
        let parts = header.utf8.dropFirst(6).split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let place = parts[0].split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        total = ContentRange.number(parts[1])
        first = place.count == 2 ? ContentRange.number(place[0]) : nil
        last = place.count == 2 ? ContentRange.number(place[1]) : nil
        guard first != nil || total != nil else { return nil }
    }

    private static func number(_ digits: Substring.UTF8View) -> Int64? {
        guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int64(String(Substring(digits)))
    }
}
