extension String {
    /// Path and query of an address, whatever its scheme and host are.
    public var target: String {
        var rest = self[...]
        for index in indices where self[index...].utf8.starts(with: "://".utf8) {
            rest = self[self.index(index, offsetBy: 3)...]
            break
        }
        return rest.firstIndex(of: "/").map { String(rest[$0...]) } ?? "/"
    }

    /// The target with a smaller number in a parameter of its query.
    func replacing(parameter name: String, above limit: Int) -> String {
        replacing(parameter: name) { Int($0).map { $0 > limit } == true ? String(limit) : nil }
    }

    func replacing(parameter name: String, with value: String) -> String {
        replacing(parameter: name) { _ in value }
    }

    private func replacing(parameter name: String, _ change: (Substring) -> String?) -> String {
        guard let query = firstIndex(of: "?") else { return self }
        let fields = self[index(after: query)...].split(separator: "&").map { field -> String in
            guard field.hasPrefix(name + "="), let value = change(field.dropFirst(name.count + 1))
            else { return String(field) }
            return "\(name)=\(value)"
        }
        return self[...query] + fields.joined(separator: "&")
    }
}
