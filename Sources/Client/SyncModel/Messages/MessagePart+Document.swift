import SyncJSON

extension ServiceRules {
    public func json(_ message: [UInt8], without parts: Set<MessagePart>) -> [UInt8] {
        var names: Set<String> = []
        for part in parts {
            switch part {
            case .reactions: names.insert("reactions")
            case .threadInfo: names.insert("thread_info")
            case .metaArray: names.formUnion(["sorted_metaarray", "metaarray", "metaarray_key_order"])
            case .parentMessageInfo: names.insert("parent_message_info")
            // Handled below, since the id of the poll stays.
            case .pollDetails: break
            }
        }
        let rest = JSONSlice.removing(names, from: message) ?? message
        guard parts.contains(.pollDetails) else { return rest }
        let poll = rest.withUnsafeBytes { bytes -> Int64? in
            guard let poll = (try? JSONSlice.checked(bytes))?["poll"], poll.isObject else { return nil }
            return poll["id"]?.int ?? 0
        }
        return poll.flatMap { JSONSlice.setting([("poll", Array("{\"id\":\($0)}".utf8))], in: rest) } ?? rest
    }
}
