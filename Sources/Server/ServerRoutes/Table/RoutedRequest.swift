import ServerBase
import ServerHTTP
import SyncBytes

/// A request that has found its route.
struct RoutedRequest {
    let request: HTTPRequest
    let route: Route
    /// What stands in the path under the route's names, in their order.
    private let values: [String]

    init(_ request: HTTPRequest, _ route: Route, _ values: [String]) {
        self.request = request
        self.route = route
        self.values = values
    }

    var method: String { request.method }
    var query: RequestQuery { request.query }
    /// The words of the path behind the interface's version.
    var path: [String] { Array(request.target.segments.dropFirst()) }

    /// A header by its name, in any case.
    func header(_ name: String) -> String? { request.header(name) }

    /// The body as an object: JSON, or the fields of a form.
    func payload() throws -> Fields { try request.payload() }

    /// The file that a form brought under this name.
    func file(_ name: String) throws -> UploadedFile? { try request.file(name) }

    /// What stands in the path under a name; `nil` when the route has no such name.
    func value(_ name: String) -> String? {
        for (known, value) in zip(route.names, values) where known.isByteEqual(to: name) { return value }
        return nil
    }

    /// What stands in the path under a name that the route has.
    subscript(name: String) -> String { value(name) ?? "" }

    /// Begins to note which keys are read.
    func watch() -> (query: KeyWatch, body: KeyWatch) {
        let watches = (query: KeyWatch(accepted: accepted(route.query)), body: KeyWatch(accepted: accepted(route.body)))
        request.query.watch(watches.query)
        request.form.watch(watches.body)
        return watches
    }

    private func accepted(_ keys: Keys) -> TextSet? {
        keys.isOpen ? nil : TextSet(keys.names.map { $0.first == ":" ? self[String($0.dropFirst())] : $0 })
    }
}
