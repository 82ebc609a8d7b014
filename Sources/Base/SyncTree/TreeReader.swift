import SyncJSON

/// Reads values of a tree from JSON text, and checks them on the way.
///
/// Arrays become children under "0", "1", …; null and {} are nothing. `{".value": v, ".priority": p}` is a value with a
/// priority, `{".sv": …}` a value that is resolved here: "timestamp" is the time, `{"increment": n}` the current number
/// plus n.
public struct TreeReader {
    /// The longest string, in bytes of UTF-8.
    public static let stringLimit = 10 << 20
    /// The most that a value may take in memory, as `TreeNode.bytes` counts it.
    public static let sizeLimit = 64 << 20

    private var json: JSONReader
    private let start: UnsafeRawPointer?
    private let bytes: UnsafeRawBufferPointer
    private let time: Int64
    private var bytesLeft = TreeReader.sizeLimit

    private init(_ bytes: UnsafeRawBufferPointer, time: Int64) {
        json = JSONReader(bytes)
        self.bytes = bytes
        start = bytes.baseAddress
        self.time = time
    }

    /// Reads a value that is to stand at a path.
    ///
    /// - Parameters:
    ///   - time: what "timestamp" stands for, in milliseconds since the epoch.
    ///   - existing: the current value at the path, to which increments are added.
    public static func value(
        _ text: [UInt8], at path: TreePath = TreePath(), time: Int64, existing: TreeNode = .empty
    ) throws(TreeError) -> TreeNode {
        try read(text, time) { (reader: inout TreeReader) throws(TreeError) -> TreeNode in
            let node = try reader.value(existing, depth: path.keys.count)
            try reader.end()
            return node
        }
    }

    /// Reads an update of a path: an object whose names are paths below it. None of them may lie within another one.
    public static func update(
        _ text: [UInt8], at path: TreePath = TreePath(), time: Int64, existing: TreeNode = .empty
    ) throws(TreeError) -> [TreeWrite] {
        try read(text, time) { (reader: inout TreeReader) throws(TreeError) -> [TreeWrite] in
            let writes = try reader.writes(path, existing)
            try reader.end()
            return writes
        }
    }

    private static func read<T>(
        _ text: [UInt8], _ time: Int64, _ body: (inout TreeReader) throws(TreeError) -> T
    ) throws(TreeError) -> T {
        let result: Result<T, TreeError> = text.withUnsafeBytes { raw in
            var reader = TreeReader(raw, time: time)
            do throws(TreeError) { return .success(try body(&reader)) } catch { return .failure(error) }
        }
        return try result.get()
    }

    private mutating func syntax<T>(_ body: (inout JSONReader) throws(JSONError) -> T) throws(TreeError) -> T {
        do { return try body(&json) } catch { throw TreeError(error) }
    }

    private mutating func end() throws(TreeError) {
        try syntax { (json: inout JSONReader) throws(JSONError) in try json.end() }
        // Half a surrogate pair cannot be written in UTF-8, so it would be read back as something else.
        if json.hasLoneSurrogate { throw TreeError(.syntax) }
    }

    private mutating func nextKey() throws(TreeError) -> JSONKey? {
        try syntax { (json: inout JSONReader) throws(JSONError) in try json.nextKey() }
    }

    private mutating func slice() throws(TreeError) -> JSONSlice {
        try syntax { (json: inout JSONReader) throws(JSONError) in try json.value() }
    }

    /// Counts what is about to be held.
    private mutating func take(_ bytes: Int) throws(TreeError) {
        bytesLeft -= bytes
        guard bytesLeft >= 0 else { throw TreeError(.size) }
    }

    // MARK: Values

    private mutating func value(_ existing: TreeNode, depth: Int) throws(TreeError) -> TreeNode {
        switch json.peek() {
        case UInt8(ascii: "{"): return try object(existing, depth)
        case UInt8(ascii: "["): return try array(existing, depth)
        default: return try leaf().map { TreeNode($0) } ?? .empty
        }
    }

    private mutating func leaf() throws(TreeError) -> TreeLeaf? {
        let slice = try slice()
        if slice.isNull { return nil }
        if let flag = slice.bool { return .bool(flag) }
        if slice.isString {
            let text = slice.string ?? ""
            guard text.utf8.count <= TreeReader.stringLimit else { throw TreeError(.string) }
            try take(text.utf8.count)
            return .text(text)
        }
        guard let number = TreeLeaf(number: slice) else { throw TreeError(.number) }
        return number
    }

    private mutating func array(_ existing: TreeNode, _ depth: Int) throws(TreeError) -> TreeNode {
        try syntax { (json: inout JSONReader) throws(JSONError) in try json.beginArray() }
        var children: [TreeChild] = []
        var index: Int32 = 0
        while try syntax({ (json: inout JSONReader) throws(JSONError) in try json.nextElement() }) {
            guard depth < TreePath.depthLimit else { throw TreeError(.depth) }
            let key = TreeKey(index: index)
            let node = try value(existing[key], depth: depth + 1)
            if !node.isEmpty {
                try take(TreeChild.bytes(under: key))
                children.append(TreeChild(key: key, node: node))
            }
            // This cannot overflow: no text is long enough for so many elements.
            index &+= 1
        }
        return TreeNode(ordered: children)
    }

    private mutating func object(_ existing: TreeNode, _ depth: Int) throws(TreeError) -> TreeNode {
        try syntax { (json: inout JSONReader) throws(JSONError) in try json.beginObject() }
        var children: [TreeChild] = []
        var priority: TreeLeaf?
        var value: TreeNode?
        var hasPriority = false
        var resolved: TreeLeaf?
        while let name = try nextKey() {
            if name.equals(".priority") {
                priority = try readPriority()
                hasPriority = true
            } else if name.equals(".value") {
                let read = try self.value(existing, depth: depth)
                guard !read.hasChildren else { throw TreeError(.special("\".value\" takes a value without children")) }
                value = read
            } else if name.equals(".sv") {
                resolved = try serverValue(existing)
            } else {
                let key = try key(name)
                guard depth < TreePath.depthLimit else { throw TreeError(.depth) }
                try take(TreeChild.bytes(under: key))
                children.append(TreeChild(key: key, node: try self.value(existing[key], depth: depth + 1)))
            }
        }
        if let resolved {
            guard children.isEmpty, value == nil, !hasPriority else {
                throw TreeError(.special("\".sv\" stands alone"))
            }
            return TreeNode(resolved)
        }
        if let value {
            guard children.isEmpty else { throw TreeError(.special("\".value\" does not go with children")) }
            return value.with(priority: priority)
        }
        return TreeNode(children).with(priority: priority)
    }

    private mutating func key(_ name: JSONKey) throws(TreeError) -> TreeKey {
        if let text = name.slice.string, let key = TreeKey(text) { return key }
        throw TreeError(place(of: name))
    }

    /// Where a name begins in the text, for the error message.
    private func place(of name: JSONKey) -> TreeError.Reason {
        guard let start, let first = name.slice.bytes.baseAddress else { return .syntax }
        let before = bytes.prefix(max(0, first - start))
        let line = before.reduce(1) { $1 == 0x0A ? $0 + 1 : $0 }
        let column = before.reversed().prefix { $0 != 0x0A }.count
        return .key(line: line, column: column + 1)
    }

    private mutating func readPriority() throws(TreeError) -> TreeLeaf? {
        let read = try value(.empty, depth: 0)
        if read.isEmpty { return nil }
        guard let leaf = read.leaf else { throw TreeError(.special("\".priority\" is a number or a string")) }
        if case .bool = leaf { throw TreeError(.special("\".priority\" is a number or a string")) }
        return leaf
    }

    private mutating func serverValue(_ existing: TreeNode) throws(TreeError) -> TreeLeaf {
        let slice = try slice()
        if slice.equals("timestamp") { return .integer(time) }
        var increment: TreeLeaf?
        var count = 0
        slice.forEachMember { key, value in
            count += 1
            if key.equals("increment") { increment = TreeLeaf(number: value) }
        }
        guard count == 1, let increment else {
            throw TreeError(.special("\".sv\" is \"timestamp\" or {\"increment\": number}"))
        }
        guard let present = existing.leaf, present.isNumber else { return increment }
        guard let sum = present.adding(increment) else { throw TreeError(.number) }
        return sum
    }

    // MARK: Updates

    private mutating func writes(_ base: TreePath, _ existing: TreeNode) throws(TreeError) -> [TreeWrite] {
        guard json.peek() == UInt8(ascii: "{") else { throw TreeError(.syntax) }
        try syntax { (json: inout JSONReader) throws(JSONError) in try json.beginObject() }
        var writes: [TreeWrite] = []
        while let name = try nextKey() {
            guard let text = name.slice.string, let path = try? TreePath(text), !path.isRoot else {
                throw TreeError(place(of: name))
            }
            let depth = base.keys.count + path.keys.count
            guard depth <= TreePath.depthLimit else { throw TreeError(.depth) }
            for key in path.keys { try take(TreeChild.bytes(under: key)) }
            writes.append(TreeWrite(path: path, node: try value(existing[path], depth: depth)))
        }
        let ordered = writes.sorted { $0.path.keys.lexicographicallyPrecedes($1.path.keys) }
        for (outer, inner) in zip(ordered, ordered.dropFirst()) where outer.path.contains(inner.path) {
            throw TreeError(.overlap(outer.path.text, inner.path.text))
        }
        return writes
    }
}
