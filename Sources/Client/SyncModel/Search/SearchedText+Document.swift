import SyncJSON

extension ServiceRules {
    /// The text, and the names of files. The members are read in one pass, since this runs for every cached message.
    public func searched(_ json: UnsafeRawBufferPointer) -> SearchedText {
        var found = SearchedText(text: "", time: 0)
        guard let message = try? JSONSlice.checked(json) else { return found }
        var names: [String] = []
        message.forEachMember { (key, value) in
            if key.equals("message") {
                found.text = value.string ?? ""
            } else if key.equals("created_at") {
                found.time = value.int ?? 0
            } else if key.equals("name") {
                if let name = value.string { names.append(name) }
            } else if key.equals("file") {
                if let name = value["name"]?.string { names.append(name) }
            } else if key.equals("files") {
                value.forEachElement { if let name = ($0["file_name"] ?? $0["name"])?.string { names.append(name) } }
            }
        }
        for name in names where !name.isEmpty { found.text += found.text.isEmpty ? name : "\n" + name }
        return found
    }
}
