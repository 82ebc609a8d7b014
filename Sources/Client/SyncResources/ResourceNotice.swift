import SyncBytes
import SyncJSON
import SyncModel
import SyncTree

/// An event about an operation.
public struct ResourceNotice: Equatable, Sendable {
    public enum Kind: Equatable, Sendable {
        /// The operation waits for the answer to the hook with this number.
        case will(hook: UInt64)
        case did
        case persisted(ResourceFailure?, [CounterChange])
        /// JSON texts of the value before and after, null for none, and the resources of the context that are not in
        /// the path.
        case action(old: [UInt8], new: [UInt8], extra: [NamedResource])
        /// After the call was complete, the write at this path failed: that of the object, or of a counter.
        case error(ResourceFailure, TreePath)
    }

    /// A counter's path, the number to add, and the failure if it was not added.
    public struct CounterChange: Equatable, Sendable {
        public let path: TreePath
        public let by: Int64
        public let failure: ResourceFailure?
    }

    public let kind: Kind
    public let change: ResourceChange
    /// The call that began the operation.
    public let call: CallID
    public let resourceType: TextKey
    public let key: TreeKey
    public let path: TreePath
    public let context: TextKey
    /// JSON text of what the host gave; `nil` for a destroy.
    public let value: [UInt8]?

    /// The event's type.
    public var type: StaticString {
        switch (kind, change) {
        case (.will, .create): "resource_will_create"
        case (.will, .update): "resource_will_update"
        case (.will, .destroy): "resource_will_destroy"
        case (.did, .create): "resource_did_create"
        case (.did, .update): "resource_did_update"
        case (.did, .destroy): "resource_did_destroy"
        case (.persisted, .create): "resource_persisted_create"
        case (.persisted, .update): "resource_persisted_update"
        case (.persisted, .destroy): "resource_persisted_destroy"
        case (.action, _): "resource_action"
        case (.error, _): "resource_error"
        }
    }

    /// The event's members.
    public func write(_ writer: inout JSONWriter) {
        writer.member("request", Int64(bitPattern: call.number))
        writer.member("change", change.rawValue)
        writer.member("resource_type", resourceType.text)
        writer.member("key", key.text)
        writer.member("path", path.text)
        writer.member("context", context.text)
        switch kind {
        case .will(let hook):
            writer.member("hook", Int64(bitPattern: hook))
            writeValue(&writer)
        case .did: writeValue(&writer)
        case .persisted(let failure, let counters):
            writeValue(&writer)
            if let failure { failure.write(&writer) }
            writer.key("counters")
            CounterChange.write(counters, &writer)
        case .action(let old, let new, let extra):
            writer.member("old", raw: old)
            writer.member("new", raw: new)
            writer.key("extra")
            NamedResource.write(extra, &writer)
        case .error(let failure, let path):
            failure.write(&writer)
            writer.member("failed_path", path.text)
        }
    }

    private func writeValue(_ writer: inout JSONWriter) {
        if let value { writer.member("value", raw: value) }
    }
}

extension ResourceNotice.CounterChange {
    /// Writes a list of them.
    static func write(_ list: [ResourceNotice.CounterChange], _ writer: inout JSONWriter) {
        writer.beginArray()
        for counter in list {
            writer.beginObject()
            writer.member("path", counter.path.text)
            writer.member("by", counter.by)
            if let failure = counter.failure { failure.write(&writer) }
            writer.endObject()
        }
        writer.endArray()
    }
}

extension ResourceFailure {
    /// Writes the members `status`, `code` and `message`.
    func write(_ writer: inout JSONWriter) {
        writer.member("status", Int64(status.rawValue))
        writer.member("code", code)
        writer.member("message", message)
    }
}
