/// Numbers and the paths that each of them is about, so that the numbers at a path, around it and below it are found
/// without going through all of them. A number may have several paths.
public struct PathIndex {
    private struct Node {
        var children: [TreeKey: Node] = [:]
        /// Ascending. A number that has the path several times is in it as often.
        var numbers: [UInt64] = []
        /// No number at this path or below is greater, none is less.
        var greatest: UInt64 = 0
        var least = UInt64.max

        var isEmpty: Bool { children.isEmpty && numbers.isEmpty }
    }

    private var root = Node()

    public init() {}

    public mutating func insert(_ number: UInt64, at path: TreePath) {
        PathIndex.insert(number, path.keys[...], &root)
    }

    private static func insert(_ number: UInt64, _ keys: ArraySlice<TreeKey>, _ node: inout Node) {
        node.greatest = max(node.greatest, number)
        node.least = min(node.least, number)
        guard let key = keys.first else {
            // Searched from the end, since numbers mostly grow.
            let place = node.numbers.lastIndex { $0 <= number }.map { $0 + 1 } ?? 0
            return node.numbers.insert(number, at: place)
        }
        insert(number, keys.dropFirst(), &node.children[key, default: Node()])
    }

    /// A number that is not at the path is ignored.
    public mutating func remove(_ number: UInt64, at path: TreePath) {
        PathIndex.remove(number, path.keys[...], &root)
    }

    private static func remove(_ number: UInt64, _ keys: ArraySlice<TreeKey>, _ node: inout Node) {
        guard let key = keys.first else {
            if let place = node.numbers.firstIndex(of: number) { node.numbers.remove(at: place) }
            return
        }
        guard var child = node.children.removeValue(forKey: key) else { return }
        remove(number, keys.dropFirst(), &child)
        if !child.isEmpty { node.children[key] = child }
    }

    /// The nodes of a path and of those around it, from the root on, as far as there are any; `isWhole`: the path
    /// itself has a node, too.
    private func line(to path: TreePath) -> (nodes: [Node], isWhole: Bool) {
        var nodes = [root]
        for key in path.keys {
            guard let child = nodes[nodes.count - 1].children[key] else { return (nodes, false) }
            nodes.append(child)
        }
        return (nodes, true)
    }

    /// The numbers of a path, of those around it and of those below it, ascending, each once. Numbers that are less
    /// than a number at the path or around it for which `isEnough` holds are left out.
    public func numbers(touching path: TreePath, isEnough: (UInt64) -> Bool = { _ in false }) -> [UInt64] {
        let (nodes, isWhole) = line(to: path)
        var places = nodes.map { $0.numbers.count }
        var found: [UInt64] = []
        var least: UInt64 = 0
        while true {
            // The node that has the greatest of all numbers that are left.
            var next: Int?
            for (index, place) in places.enumerated() where place > 0 {
                if let other = next, nodes[other].numbers[places[other] - 1] >= nodes[index].numbers[place - 1] {
                    continue
                }
                next = index
            }
            guard let next else { break }
            places[next] -= 1
            let number = nodes[next].numbers[places[next]]
            if number == found.last { continue }
            found.append(number)
            if isEnough(number) {
                least = number
                break
            }
        }
        guard isWhole, let last = nodes.last, !last.children.isEmpty else { return found.reversed() }
        for child in last.children.values { PathIndex.collect(child, from: least, &found) }
        found.sort()
        var result: [UInt64] = []
        for number in found where number != result.last { result.append(number) }
        return result
    }

    /// Whether a smaller number is at a path, around it or below it.
    public func contains(lessThan number: UInt64, touching path: TreePath) -> Bool {
        let (nodes, isWhole) = line(to: path)
        if nodes.contains(where: { ($0.numbers.first ?? number) < number }) { return true }
        guard isWhole, let last = nodes.last else { return false }
        return last.children.values.contains { PathIndex.contains($0, lessThan: number) }
    }

    private static func contains(_ node: Node, lessThan number: UInt64) -> Bool {
        guard node.least < number else { return false }
        return (node.numbers.first ?? number) < number
            || node.children.values.contains { contains($0, lessThan: number) }
    }

    private static func collect(_ node: Node, from least: UInt64, _ found: inout [UInt64]) {
        guard node.greatest >= least else { return }
        for number in node.numbers.reversed() {
            guard number >= least else { break }
            found.append(number)
        }
        for child in node.children.values { collect(child, from: least, &found) }
    }

    /// The widest path around this one, or this one itself, that a number is about; `nil`: none is.
    public func widest(around path: TreePath) -> TreePath? {
        let (nodes, _) = line(to: path)
        return nodes.firstIndex { !$0.numbers.isEmpty }.map { TreePath(Array(path.keys.prefix($0))) }
    }
}
