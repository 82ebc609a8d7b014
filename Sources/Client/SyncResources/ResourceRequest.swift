import SyncModel
import SyncTree

/// What a host asks of the resources.
public enum ResourceRequest: Sendable {
    case register(ResourceType)
    /// A context under a name, on another one; a root when there is none.
    case push(context: TextKey, on: TextKey?, [NamedResource])
    /// Other resources for a context's own level.
    case reset(context: TextKey, [NamedResource])
    /// The name is free again; contexts that stand on this one keep it.
    case pop(context: TextKey)
    /// What is seen from a context: everything, or what has that name.
    case lookup(context: TextKey, name: TextKey?)
    case operation(Operation)
    /// The answer to a `will` hook: go on, with another value if there is one, or not.
    case proceed(hook: UInt64, value: ResourceValue?, refusal: String?)
    /// The path of an object, or of all objects of a type.
    case path(type: TextKey, context: TextKey, key: TreeKey?, isCollection: Bool)
    case statistics

    /// Something that is done to an object.
    public struct Operation: Sendable {
        public enum Kind: Sendable {
            case create, update, destroy
            /// `exists`: whether the object is there; `nil`: the service is asked.
            case createOrUpdate(exists: Bool?)
            /// Destroys what is there, creates what is not.
            case toggle(exists: Bool?)
        }

        public var kind: Kind
        public var type: TextKey
        public var context: TextKey
        public var key: TreeKey?
        public var value: ResourceValue?
        /// Whether the call completes when everything is stored, and not when the service has answered.
        public var completesWhenKept: Bool

        public init(
            _ kind: Kind, type: TextKey, context: TextKey, key: TreeKey? = nil, value: ResourceValue? = nil,
            completesWhenKept: Bool = false
        ) {
            self.kind = kind
            self.type = type
            self.context = context
            self.key = key
            self.value = value
            self.completesWhenKept = completesWhenKept
        }
    }
}
