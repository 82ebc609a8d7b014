import SyncJSON
import SyncTree

/// One database: a tree and the rules that guard it.
final class DatabaseInstance {
    let name: String
    var root: TreeNode
    private(set) var rules: SecurityRules
    /// The rules in the text in which they were set.
    private(set) var rulesText: [UInt8]

    /// What an instance has until rules are set: everything is open, as on a loopback for development.
    static let openRules = Array(#"{"rules":{".read":true,".write":true}}"#.utf8)

    init(name: String, root: TreeNode = .empty, rulesText: [UInt8] = DatabaseInstance.openRules) throws {
        self.name = name
        self.root = root
        self.rulesText = rulesText
        rules = try SecurityRules(rulesText)
    }

    func set(_ rules: SecurityRules, text: [UInt8]) {
        self.rules = rules
        rulesText = text
    }
}
