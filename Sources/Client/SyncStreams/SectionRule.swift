import SyncBytes
import SyncModel
import SyncTree

/// Which section of a partition a row is in.
public enum SectionRule: Sendable {
    /// One condition for each section; the first that holds decides.
    case conditions([RowCondition])
    /// A number is the section, counted from 0; a text is the section's title.
    case field(Field)
    /// The host's function gives the section, counted from 0.
    case host

    /// `nil`: in none of them, and not shown.
    func section(of item: StreamItem, titles: [String], _ function: (any RowFunction)?) -> Int? {
        let section: Int?
        switch self {
        case .conditions(let conditions): section = item.view { row in conditions.firstIndex { $0.holds(of: row) } }
        case .field(let field):
            section =
                switch item.view(field.value) {
                case .integer(let number): Int(exactly: number)
                case .text(let text): titles.firstIndex { $0.isByteEqual(to: text) }
                default: nil
                }
        case .host: section = function?.value(of: item)
        }
        return section.flatMap { titles.indices.contains($0) ? $0 : nil }
    }
}
