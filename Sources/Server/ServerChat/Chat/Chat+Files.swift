import ServerBase
import SyncJSON

extension Chat {
    /// Keeps a file; returns the key that it is found by.
    public func store(_ file: Storage.File) throws -> String {
        guard file.bytes.count <= Chat.fileLimit << 20 else {
            throw Refusal(400_111, "The file is larger than \(Chat.fileLimit) MB.", status: 413)
        }
        let key = storage.random.hex(16)
        try storage.save(file, key: key, at: now)
        return key
    }

    /// Keeps a report. What it is about is a path: reports on a part are found under the whole too.
    public func storeReport(_ json: JSON, about path: [String], at time: Int64) throws {
        let number = 1_000_000_000 + (try storage.nextNumber("report"))
        try storage.save(.report, String(number), scope: path.joined(separator: "\n"), at: time, json)
    }
}
