/// Whether what the stream of a service has told is stored (`StreamPoint`), so that pages may be taken in.
enum StreamState: Equatable {
    case goesOn
    /// Something could not be stored, and was not told again yet: pages wait for the repeat.
    case awaitsRepeat
    /// The chunks in the file may not be complete any more, and no batch has come since: pages wait for one.
    case broken
}
