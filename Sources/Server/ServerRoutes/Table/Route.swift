import ServerBase
import ServerHTTP

/// One address of the REST interface: which requests come to it, what they may say, and who answers them.
struct Route: Sendable {
    typealias Handler = @Sendable (RouteContext, RoutedRequest) throws -> HTTPResponse

    private enum Part {
        case word(String)
        case name(String)
    }

    /// The method, or several separated by spaces; "*" is any.
    let method: String
    /// Words and :names, and "**" at the end for whatever may follow.
    let template: String
    /// The keys that the handler reads, of the query and of the body.
    let query: Keys
    let body: Keys
    let handler: Handler

    /// The template's names, in their order.
    let names: [String]
    private let methods: [String]
    private let parts: [Part]
    private let isOpen: Bool

    init<Room: Routes>(
        _ method: String, _ template: String, query: Keys = .none, body: Keys = .none,
        _ handler: @escaping @Sendable (Room) -> (RoutedRequest) throws -> HTTPResponse
    ) {
        self.method = method
        self.template = template
        self.query = query
        self.body = body
        self.handler = { try handler(Room(context: $0))($1) }
        methods = method == "*" ? [] : method.split(separator: " ").map(String.init)
        let words = template.split(separator: "/")
        isOpen = words.last == "**"
        parts = (isOpen ? words.dropLast() : words[...]).map { word in
            word.first == ":" ? .name(String(word.dropFirst())) : .word(String(word))
        }
        names = parts.compactMap { if case .name(let name) = $0 { name } else { nil } }
    }

    /// The first word of the template.
    var firstWord: String {
        if case .word(let word) = parts.first { word } else { "" }
    }

    /// The third word of the template, if it is a word: the route fits no path with another one.
    var topic: String? {
        if parts.count > 2, case .word(let word) = parts[2] { word } else { nil }
    }

    /// The parts of a path that stand for the template's names, in their order; `nil` when the route does not fit.
    func match(_ method: String, _ path: ArraySlice<String>) -> [String]? {
        guard isOpen ? path.count >= parts.count : path.count == parts.count,
            methods.isEmpty || methods.contains(method)
        else { return nil }
        for (part, segment) in zip(parts, path) {
            if case .word(let word) = part, word != segment { return nil }
        }
        return zip(parts, path).compactMap { part, segment in
            if case .name = part { segment } else { nil }
        }
    }
}
