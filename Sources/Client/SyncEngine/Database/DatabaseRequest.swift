import SyncRealtime
import SyncJSON
import SyncModel
import SyncTree

/// A request of a host to the realtime database, checked.
public struct DatabaseRequest: Sendable {
    public enum Operation: Sendable {
        /// `isShallow`: only the names of the children.
        case get(DatabaseLocation, isShallow: Bool)
        /// JSON text of the value.
        case set(TreePath, [UInt8])
        /// JSON text of an object: its keys are paths below the place, its members the values.
        case update(TreePath, [UInt8])
        case push(TreePath, [UInt8])
        /// A whole number that is added to the one at the place.
        case count(TreePath, by: Int64)
        case transaction(TreePath)
        /// The new value of a transaction; `nil`: the value stays as it is. The transaction is named by its call.
        case transformed(CallID, [UInt8]?)
        case listen(DatabaseLocation)
        case unlisten(CallID)
        case setToken(String?)
        case setOnline(Bool)

        /// Whether the operation is stored until the service has answered.
        public var isWrite: Bool {
            switch self {
            case .set, .update, .push, .count: true
            case .get, .transaction, .transformed, .listen, .unlisten, .setToken, .setOnline: false
            }
        }

        /// Whether a sign-out leaves nothing of the operation, so that it is not carried out when a sign-out waits
        /// behind it.
        var isEndedBySignOut: Bool {
            switch self {
            case .get, .set, .update, .push, .count, .transaction, .listen: true
            case .transformed, .unlisten, .setToken, .setOnline: false
            }
        }
    }

    public let action: Action
    public let operation: Operation
    /// The call completes when the write is stored, not when the service has answered.
    public let isDoneWhenKept: Bool
    /// Milliseconds until the call completes with TIMEOUT; `nil`: the default for the operation.
    public let timeout: Int64?
    /// Bytes of the texts that may be long.
    public let textBytes: Int

    public init(
        _ action: DatabaseAction, _ operation: Operation, isDoneWhenKept: Bool = false, timeout: Int64? = nil
    ) {
        self.action = .database(action)
        self.operation = operation
        self.isDoneWhenKept = isDoneWhenKept
        self.timeout = timeout
        textBytes =
            switch operation {
            case .set(_, let json), .update(_, let json), .push(_, let json): json.count
            case .transformed(_, let json): json?.count ?? 0
            case .get, .listen, .count, .transaction, .unlisten, .setToken, .setOnline: 0
            }
    }

    /// Reads an action of the database; `nil` for any other action. Invalid content is refused with its path.
    public init?(_ call: ActionCall) throws(DocumentError) {
        guard case .database(let action) = call.action else { return nil }
        let operation: Operation
        switch action {
        case .databaseGet: operation = try call.get()
        case .databaseCount: operation = .count(try call.path(), by: call.integer("by") ?? 0)
        case .databaseListen: operation = .listen(try DatabaseLocation(call))
        case .databaseSet: operation = try call.set()
        case .databaseRemove: operation = .set(try call.path(), Array("null".utf8))
        case .databaseUpdate: operation = try call.update()
        case .databasePush: operation = try call.push()
        case .databaseTransaction: operation = .transaction(try call.path())
        case .databaseTransformed: operation = try call.transformed()
        case .databaseUnlisten: operation = .unlisten(.host(UInt64(clamping: call.integer("listen") ?? 0)))
        case .databaseSetToken: operation = .setToken(call.text("token"))
        case .databaseOffline: operation = .setOnline(false)
        case .databaseOnline: operation = .setOnline(true)
        }
        self.init(
            action, operation, isDoneWhenKept: call.text("when") == "kept", timeout: call.timeout)
    }
}

extension DatabaseLocation {
    /// Reads the place and the query of an action. Invalid content is refused with its path.
    ///
    /// - Parameter place: where the action stands in the host's document.
    public init(_ call: ActionCall, at place: String = "$") throws(DocumentError) {
        do throws(DocumentError) { self.init(try call.path(), try DatabaseQuery(call)) } catch {
            throw DocumentError(path: place + error.path.dropFirst(), message: error.message)
        }
    }
}

extension ActionCall {
    fileprivate func path() throws(DocumentError) -> TreePath {
        do throws(TreeError) { return try TreePath(text("path") ?? "") } catch {
            let rule = error.reason == .path ? " (each key: \(TreeKey.rule))" : ""
            throw DocumentError(path: "$.path", message: error.description + rule)
        }
    }

    fileprivate func get() throws(DocumentError) -> DatabaseRequest.Operation {
        let location = try DatabaseLocation(self)
        let isShallow = flag("shallow") ?? false
        if isShallow, location.query != nil {
            throw DocumentError(path: "$.shallow", message: "does not go with a query")
        }
        return .get(location, isShallow: isShallow)
    }

    fileprivate func set() throws(DocumentError) -> DatabaseRequest.Operation {
        let path = try path()
        return .set(path, try value("value", at: path))
    }

    /// The value gets a key of its own, so it is one level deeper.
    fileprivate func push() throws(DocumentError) -> DatabaseRequest.Operation {
        let path = try path()
        return .push(path, try value("value", at: path + TreeKey(index: 0)))
    }

    fileprivate func update() throws(DocumentError) -> DatabaseRequest.Operation {
        let path = try path()
        let json = object("values") ?? []
        do throws(TreeError) { _ = try TreeReader.update(json, at: path, time: 0) } catch {
            throw DocumentError(path: "$.values", message: error.description)
        }
        return .update(path, json)
    }

    fileprivate func transformed() throws(DocumentError) -> DatabaseRequest.Operation {
        let transaction = CallID.host(UInt64(clamping: integer("transaction") ?? 0))
        let isAborted = flag("abort") ?? false
        if isAborted, object("value") != nil {
            throw DocumentError(path: "$.value", message: "does not go with abort")
        }
        if isAborted { return .transformed(transaction, nil) }
        guard object("value") != nil else {
            throw DocumentError(path: "$.value", message: "of value and abort one has to be given")
        }
        return .transformed(transaction, try value("value", at: TreePath()))
    }

    /// The JSON text of a value that can stand at a path.
    private func value(_ key: String, at path: TreePath) throws(DocumentError) -> [UInt8] {
        let json = object(key) ?? []
        do throws(TreeError) { _ = try TreeReader.value(json, at: path, time: 0) } catch {
            throw DocumentError(path: "$." + key, message: error.description)
        }
        return json
    }
}
