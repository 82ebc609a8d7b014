import SyncBytes
import SyncModel
import SyncTree

/// What a host asks of the resources.
public enum ResourceRequest: Sendable {
    case register(ResourceType)
    /// Makes a context under a name, on another one; without `on` it is a root.
    case push(context: TextKey, on: TextKey?, [NamedResource])
    /// Gives a context's own level other resources.
    case reset(context: TextKey, [NamedResource])
    /// Frees a context's name; contexts that stand on this one keep its resources.
    case pop(context: TextKey)
    /// Asks for the resources that are seen from a context: all, or the one with this name.
    case lookup(context: TextKey, name: TextKey?)
    case operation(Operation)
    /// Answers a `will` hook: the operation goes on, with another value if there is one, or is refused.
    case proceed(hook: UInt64, value: ResourceValue?, refusal: String?)
    /// Asks for the path of an object, or of all objects of a type.
    case path(type: TextKey, context: TextKey, key: TreeKey?, isCollection: Bool)
    case statistics

    /// A create, update or destroy of an object.
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
        /// Whether the call completes when everything is stored; otherwise it completes when the service has answered.
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
