/// Whether what the stream of a service has told is stored (`StreamPoint`), so that pages may be taken in.
enum StreamState: Equatable {
    case goesOn
    /// Something could not be stored, and has not been told again: pages wait for it.
    case awaitsRepeat
    /// What the file calls complete may not be so, and no batch has said what is newest: pages wait for one.
    case broken
}
