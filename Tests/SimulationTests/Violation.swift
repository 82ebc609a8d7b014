/// Something that must not happen.
struct Violation: Error, CustomStringConvertible {
    let description: String
}
