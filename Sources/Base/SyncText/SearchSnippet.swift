/// The part of a text around the first place where it has what was looked for, to be shown to people.
public struct SearchSnippet: Equatable, Sendable {
    /// A place in the snippet's text.
    public struct Place: Equatable, Sendable {
        public let bytes: Range<Int>
        public let utf16: Range<Int>
    }

    /// The most scalars of a snippet, including the marks of cuts.
    public static let longest = 160
    /// The most scalars of these that stand before the first place.
    private static let mostBefore = 40
    /// Stands where the text was cut.
    private static let mark = "…"

    public private(set) var text = ""
    public private(set) var places: [Place] = []

    public init(_ text: String, _ match: SearchMatch) {
        let scalars = text.unicodeScalars
        let first = match.places.first ?? 0..<0
        let start = SearchSnippet.start(in: scalars, before: SearchSnippet.index(first.lowerBound, in: text))
        let end = SearchSnippet.end(
            in: scalars, from: start, behind: SearchSnippet.index(first.upperBound, in: text))
        if start > scalars.startIndex { self.text = SearchSnippet.mark }
        let cut = text.utf8.distance(from: text.startIndex, to: start)
        let length = text.utf8.distance(from: start, to: end)
        // A word may be longer than a snippet; its place is then the part that is shown.
        let shown = match.places.filter { $0.lowerBound >= cut && $0.lowerBound < cut + length }
        let inside = SearchSnippet.counted(
            shown.map { $0.lowerBound - cut..<min($0.upperBound - cut, length) }, in: scalars[start..<end])
        let (bytes, units) = (self.text.utf8.count, self.text.utf16.count)
        places = inside.map { place in
            Place(
                bytes: place.bytes.lowerBound + bytes..<place.bytes.upperBound + bytes,
                utf16: place.utf16.lowerBound + units..<place.utf16.upperBound + units)
        }
        self.text.unicodeScalars += scalars[start..<end]
        if end < scalars.endIndex { self.text += SearchSnippet.mark }
    }

    private static func index(_ offset: Int, in text: String) -> String.Index {
        text.utf8.index(text.startIndex, offsetBy: offset, limitedBy: text.endIndex) ?? text.endIndex
    }

    /// Where the snippet begins: at the beginning of a word, if one is there.
    private static func start(
        in scalars: String.UnicodeScalarView, before place: String.Index
    ) -> String.Index {
        let limit = scalars.index(place, offsetBy: -mostBefore, limitedBy: scalars.startIndex)
        guard let limit, limit > scalars.startIndex else { return scalars.startIndex }
        guard let space = scalars[limit..<place].firstIndex(where: { $0.properties.isWhitespace }) else { return limit }
        return scalars.index(after: space)
    }

    /// Where it ends: behind a word, if one ends behind the first place.
    private static func end(
        in scalars: String.UnicodeScalarView, from start: String.Index, behind place: String.Index
    ) -> String.Index {
        let most = start > scalars.startIndex ? longest - 1 : longest
        guard let whole = scalars.index(start, offsetBy: most, limitedBy: scalars.endIndex), whole < scalars.endIndex
        else { return scalars.endIndex }
        let limit = scalars.index(before: whole)
        guard place < limit else { return limit }
        return scalars[place..<limit].lastIndex { $0.properties.isWhitespace } ?? limit
    }

    /// The places for ranges of bytes that are in order: each in bytes, and counted in UTF-16.
    private static func counted(_ ranges: [Range<Int>], in scalars: Substring.UnicodeScalarView) -> [Place] {
        let wanted = Set(ranges.flatMap { [$0.lowerBound, $0.upperBound] })
        var units: [Int: Int] = [:]
        var (bytes, count) = (0, 0)
        for scalar in scalars {
            if wanted.contains(bytes) { units[bytes] = count }
            bytes += UTF8.width(scalar)
            count += UTF16.width(scalar)
        }
        units[bytes] = count
        return ranges.compactMap { range in
            guard let from = units[range.lowerBound], let to = units[range.upperBound] else { return nil }
            return Place(bytes: range, utf16: from..<to)
        }
    }
}
