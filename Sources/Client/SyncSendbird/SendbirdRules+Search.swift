import SyncJSON
import SyncModel

extension SendbirdRules {
    /// The text, and the names of files.
    public func searched(_ json: UnsafeRawBufferPointer) -> SearchedText {
        guard let message = try? JSONSlice.checked(json) else { return SearchedText(text: "", time: 0) }
        var texts: [String] = []
        func add(_ value: JSONSlice?) { if let text = value?.string, !text.isEmpty { texts.append(text) } }
        add(message["message"])
        if let file = message["file"], file.isObject { add(file["name"]) } else { add(message["name"]) }
        message["files"]?.forEachElement { add($0["file_name"] ?? $0["name"]) }
        return SearchedText(text: texts.joined(separator: "\n"), time: message["created_at"]?.int ?? 0)
    }
}
