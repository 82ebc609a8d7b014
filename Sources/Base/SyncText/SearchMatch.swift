/// Where a text has what was looked for, and how well that fits.
public struct SearchMatch: Equatable, Sendable {
    /// Ranges of the text's bytes, in order; no two of them touch.
    public private(set) var places: [Range<Int>] = []
    /// Higher is better: whole words count more than beginnings of words, then the number of matches counts. The score
    /// does not depend on other texts or on the time, so a text keeps its place among the results.
    public private(set) var score = 0

    private static let mostCounted = 10

    mutating func add(_ found: ArraySlice<SearchUnit>, of phrase: SearchPhrase) {
        guard let first = found.first, let last = found.last, let wanted = phrase.units.last else { return }
        places.append(first.place.lowerBound..<last.place.upperBound)
        let isWhole = last.text == wanted.text
        if places.count <= SearchMatch.mostCounted { score += isWhole ? 3 : 1 }
    }

    mutating func settle() {
        places.sort { $0.lowerBound < $1.lowerBound }
        var joined: [Range<Int>] = []
        for place in places {
            if let last = joined.last, place.lowerBound <= last.upperBound {
                joined[joined.count - 1] = last.lowerBound..<max(last.upperBound, place.upperBound)
            } else {
                joined.append(place)
            }
        }
        places = joined
    }
}
