import SyncJSON
import SyncTree

/// A rule's expression, parsed.
indirect enum RuleExpression {
    enum Comparison {
        case equal, different, less, lessOrEqual, more, moreOrEqual
    }

    enum Name {
        case auth, now, data, newData, root
    }

    /// A function of a value of the database that rules may call.
    enum Question: String {
        case val, exists, child, parent, hasChild, hasChildren, isString, isNumber, isBoolean
    }

    case value(RuleValue)
    case name(Name)
    case variable(String)
    case member(RuleExpression, String)
    case question(RuleExpression, Question, RuleExpression?)
    case compare(Comparison, RuleExpression, RuleExpression)
    case and(RuleExpression, RuleExpression)
    case or(RuleExpression, RuleExpression)
    case not(RuleExpression)
}
