/// What is done to an object.
public enum ResourceChange: String, CaseIterable, Sendable {
    case create, update, destroy
}
