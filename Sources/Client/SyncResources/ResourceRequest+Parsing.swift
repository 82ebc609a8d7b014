import SyncBytes
import SyncJSON
import SyncModel
import SyncTree

extension ResourceRequest {
    /// Reads an action on resources; `nil` for any other action. Errors have the JSON path of what is wrong.
    public init?(_ call: ActionCall) throws(DocumentError) {
        guard case .resource(let action) = call.action else { return nil }
        let context = TextKey(call.text("context") ?? "")
        let type = TextKey(call.text("resource_type") ?? "")
        switch action {
        case .resourceRegister: self = .register(try ResourceType(call))
        case .resourcePush:
            self = .push(context: context, on: call.text("parent").map { TextKey($0) }, try call.resources())
        case .resourceReset: self = .reset(context: context, try call.resources())
        case .resourcePop: self = .pop(context: context)
        case .resourceLookup: self = .lookup(context: context, name: call.text("name").map { TextKey($0) })
        case .resourceCreate: self = .operation(try Operation(.create, call))
        case .resourceUpdate: self = .operation(try Operation(.update, call))
        case .resourceDestroy: self = .operation(try Operation(.destroy, call))
        case .resourceCreateOrUpdate:
            self = .operation(try Operation(.createOrUpdate(exists: call.flag("exists")), call))
        case .resourceToggle: self = .operation(try Operation(.toggle(exists: call.flag("exists")), call))
        case .resourceContinue:
            if call.text("refuse") != nil, call.object("value") != nil {
                throw DocumentError(path: "$.value", message: "does not go with refuse")
            }
            self = .proceed(
                hook: UInt64(clamping: call.integer("hook") ?? 0), value: try call.resourceValue(),
                refusal: call.text("refuse"))
        case .resourceRef:
            self = .path(type: type, context: context, key: try call.resourceKey(), isCollection: false)
        case .resourceCollectionRef: self = .path(type: type, context: context, key: nil, isCollection: true)
        case .resourceStatistics: self = .statistics
        }
    }
}

extension ResourceRequest.Operation {
    fileprivate init(_ kind: Kind, _ call: ActionCall) throws(DocumentError) {
        self.init(
            kind, type: TextKey(call.text("resource_type") ?? ""), context: TextKey(call.text("context") ?? ""),
            key: try call.resourceKey(), value: try call.resourceValue(),
            completesWhenKept: call.text("when") == "kept")
    }
}

extension ResourceType {
    fileprivate init(_ call: ActionCall) throws(DocumentError) {
        try self.init(
            DocumentValue(.string(call.text("resource_type") ?? ""), path: "$.resource_type"),
            path: DocumentValue(.string(call.text("path") ?? ""), path: "$.path"),
            counters: try call.document("counters"),
            hooks: call.texts("hooks").map { DocumentValue(.strings($0), path: "$.hooks") })
    }
}

extension ActionCall {
    /// An argument that is an object or a list, with its JSON path.
    fileprivate func document(_ key: String) throws(DocumentError) -> DocumentValue? {
        guard let bytes = object(key) else { return nil }
        let value = try DocumentValue(parsing: bytes)
        return value.json.isNull ? nil : DocumentValue(value.json, path: "$." + key)
    }

    fileprivate func resources() throws(DocumentError) -> [NamedResource] {
        guard let document = try document("resources") else { return [] }
        return try ResourceEntry.list(document)
    }

    fileprivate func resourceKey() throws(DocumentError) -> TreeKey? {
        guard let text = text("key") else { return nil }
        return try DocumentValue(.string(text), path: "$.key").treeKey()
    }

    /// Null is a value here; whether it may be written is checked later.
    fileprivate func resourceValue() throws(DocumentError) -> ResourceValue? {
        guard let bytes = object("value") else { return nil }
        return try ResourceValue(DocumentValue(try DocumentValue(parsing: bytes).json, path: "$.value"))
    }
}
