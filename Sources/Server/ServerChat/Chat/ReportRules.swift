import SyncBytes
import SyncJSON

/// What users have reported. The subject of a report is a path; a report on a part is found under the whole too.
public struct ReportRules: ChatRules {
    let chat: Chat

    public func store(_ json: JSON, about path: [String], at time: Int64) throws {
        let number = 1_000_000_000 + (try storage.nextNumber("report"))
        try storage.documents.save(.report, String(number), scope: path.joined(separator: "\n"), at: time, json)
    }

    /// What was reported about an address and what is below it; about everything, when the address is empty.
    public func reports(about path: [String]) throws -> [JSON] {
        let prefix = path.joined(separator: "\n")
        return try storage.documents.all(.report).filter {
            prefix.isEmpty || $0.scope.isByteEqual(to: prefix) || $0.scope.beginsWithBytes(of: prefix + "\n")
        }.map { $0.json }
    }
}

extension Chat {
    public var reports: ReportRules { ReportRules(chat: self) }
}
