import ServerBase
import ServerHTTP
import SyncBytes
import SyncJSON
import SyncTree

/// A client that listens to a place of a database.
///
/// The first event is the whole value; from then on each write that changes something is one event. With a query the
/// events are about what the query shows: children that come into the window, change in it or leave it.
final class DatabaseStream {
    let instance: DatabaseInstance
    let path: TreePath
    let authority: DatabaseAuthority
    private let query: TreeQuery?
    private let format: TreeNode.Format
    private let link: any EventLink
    private var window = TreeNode.empty
    /// Whether nothing is sent although the connection is open: a test wants a connection that is lost without an
    /// error.
    var isSilent = false

    init(
        _ instance: DatabaseInstance, _ path: TreePath, _ query: TreeQuery?, _ format: TreeNode.Format,
        _ authority: DatabaseAuthority, _ link: any EventLink
    ) {
        self.instance = instance
        self.path = path
        self.query = query
        self.format = format
        self.authority = authority
        self.link = link
    }

    /// Sends the first event, with the whole value.
    func begin() {
        window = query?.window(of: instance.root[path]) ?? .empty
        send(DatabaseStream.event("put", TreePath(), query == nil ? instance.root[path] : window, format))
    }

    func changed(_ change: DatabaseChange) {
        if let query { return tellWindow(query.window(of: change.after[path])) }
        let whole = change.writes.contains { (change.base + $0.path).contains(path) }
        if whole {
            guard change.before[path] != change.after[path] else { return }
            return send(DatabaseStream.event("put", TreePath(), change.after[path], format))
        }
        let inside = change.writes.map { change.base + $0.path }.filter {
            path.contains($0) && change.before[$0] != change.after[$0]
        }
        guard let first = inside.first else { return }
        guard change.isUpdate else {
            return send(DatabaseStream.event("put", path.relative(first), change.after[first], format))
        }
        // The place of the update, or the stream's own place when that lies below it.
        let base = path.contains(change.base) ? change.base : path
        send(
            DatabaseStream.event(
                "patch", path.relative(base),
                inside.map { TreeWrite(path: base.relative($0), node: change.after[$0]) }, format))
    }

    private func tellWindow(_ next: TreeNode) {
        let before = window
        window = next
        let gone = before.children.filter { next[$0.key].isEmpty }.map {
            TreeWrite(path: TreePath([$0.key]), node: .empty)
        }
        let come = next.children.filter { before[$0.key] != $0.node }.map {
            TreeWrite(path: TreePath([$0.key]), node: $0.node)
        }
        let writes = gone + come
        guard let first = writes.first else { return }
        if writes.count == 1 {
            send(DatabaseStream.event("put", first.path, first.node, format))
        } else {
            send(DatabaseStream.event("patch", TreePath(), writes, format))
        }
    }

    // MARK: Signs and ends

    func keepAlive() { send(DatabaseStream.event("keep-alive", Array("null".utf8))) }

    /// Ends the stream: the rules do not let it read any more.
    func cancel() { end(with: DatabaseStream.event("cancel", Array("null".utf8))) }

    /// Ends the stream: the credentials have run out or were revoked. Clients compare the text as it is, so it is no
    /// JSON.
    func revoke() { end(with: DatabaseStream.event("auth_revoked", Array("credential is no longer valid".utf8))) }

    private func end(with event: [UInt8]) {
        send(event)
        link.end()
    }

    func end() { link.end() }

    /// Ends the connection in the middle.
    func drop() { link.drop() }

    private func send(_ event: [UInt8]) { if !isSilent { link.send(event) } }

    // MARK: Frames

    static func event(_ name: StaticString, _ path: TreePath, _ node: TreeNode, _ format: TreeNode.Format) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("path", path.text)
        writer.key("data")
        node.write(&writer, format)
        writer.endObject()
        return event(name, writer.bytes)
    }

    private static func event(
        _ name: StaticString, _ path: TreePath, _ writes: [TreeWrite], _ format: TreeNode.Format
    ) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("path", path.text)
        writer.key("data")
        writer.members(writes, format)
        writer.endObject()
        return event(name, writer.bytes)
    }

    private static func event(_ name: StaticString, _ data: [UInt8]) -> [UInt8] {
        Array("event: \(name)\ndata: ".utf8) + data + Array("\n\n".utf8)
    }
}

extension JSONWriter {
    /// Writes an update: an object from paths to values.
    mutating func members(_ writes: [TreeWrite], _ format: TreeNode.Format) {
        beginObject()
        for write in writes {
            key(escaping: write.path.text.droppingBytes(first: 1))
            write.node.write(&self, format)
        }
        endObject()
    }
}
