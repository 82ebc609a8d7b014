/// A handler has read a key that its route does not declare: a mistake of this server. A strict one does not hide it.
struct UndeclaredKey: Error, CustomStringConvertible {
    let route: Route
    let key: String

    var description: String { "\(route.method) \(route.template) reads \"\(key)\", which its route does not declare" }
}
