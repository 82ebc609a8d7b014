/// Names of a request's keys: words, one after the other, or several of such lists.
///
/// A key that begins with a colon is the value that stands in the path under this name. A key that begins with a minus
/// is allowed, but has no effect: nobody reads it.
struct Keys: ExpressibleByStringLiteral, ExpressibleByArrayLiteral {
    /// The keys that are read.
    let names: [String]
    let ignored: [String]
    /// Whether any other key is read too.
    let isOpen: Bool

    private init(_ names: [String], ignored: [String], isOpen: Bool = false) {
        self.names = names
        self.ignored = ignored
        self.isOpen = isOpen
    }

    init(stringLiteral text: String) {
        let words = text.split(separator: " ")
        self.init(
            words.filter { $0.first != "-" }.map(String.init),
            ignored: words.filter { $0.first == "-" }.map { String($0.dropFirst()) })
    }

    init(arrayLiteral lists: Keys...) {
        self.init(
            lists.flatMap(\.names), ignored: lists.flatMap(\.ignored), isOpen: lists.contains(where: \.isOpen))
    }

    static let none: Keys = ""
    /// Any key of a request may be read.
    static let any = Keys([], ignored: [], isOpen: true)
}
