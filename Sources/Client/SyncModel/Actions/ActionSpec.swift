/// One line of the table of actions.
public struct ActionSpec: Sendable {
    public enum Connection: String, Sendable {
        /// Done by this library alone.
        case none
        /// Needs a login; without one it completes with NOT_CONNECTED at once and is not queued.
        case login
        /// Needs the configuration's `database`, and no chat. What is written without a connection waits for one.
        case database
    }

    /// A key of the request.
    public struct Parameter: Sendable {
        public enum Kind: Sendable {
            /// A text that is not empty, or any text.
            case name, text
            /// A list of texts.
            case names
            /// A list of texts that selects what the action is about; without the list it is about everything. It must
            /// not be empty: a service takes an empty list for a missing one, so that to delete nothing would delete
            /// everything.
            case selection
            case integer(ClosedRange<Int64>)
            case flag
            /// Milliseconds since the epoch.
            case time
            /// A number or a text: hosts may lose precision on 64-bit numbers.
            case messageID
            /// A list of message ids; it may be empty.
            case ids
            case word([String])
            /// A list of such words.
            case words([String])
            /// A document of its own, checked by the part that carries the action out.
            case form(Form)
            /// An object, not empty, whose values are all texts, or all whole numbers.
            case texts, integers
            /// An object whose values are lists of texts.
            case textLists
            /// Any object, checked by the service.
            case object
            /// Any JSON value; null is one of them.
            case value
            /// The end of a range of values: a value without members (null, too), or a list of such a value and a key.
            case bound

            /// A null is a value like others here, and not the same as a missing key.
            var takesNull: Bool {
                switch self {
                case .value, .bound: true
                default: false
                }
            }
        }

        /// The names stand in docs/schema/common.json.
        public enum Form: String, Sendable {
            case databaseKey = "database_key"
            case pathTemplate = "path_template"
            case contextResources = "context_resources"
            case counterList = "counter_list"

            var isText: Bool { self == .databaseKey || self == .pathTemplate }
        }

        public let key: String
        public let kind: Kind
        public let isRequired: Bool
        /// One line for hosts' authors.
        public let meaning: String
    }

    public let parameters: [Parameter]
    public let connection: Connection
    /// Which changes collections tell because of the action.
    public let effect: String
    /// What the result's `result` is; empty when there is none.
    public let result: String
    /// Collections show the outcome at once, and take it back when the service refuses.
    public let isOptimistic: Bool

    init(
        _ parameters: [Parameter], connection: Connection = .login, effect: String, result: String = "",
        isOptimistic: Bool = false
    ) {
        self.parameters = parameters
        self.connection = connection
        self.effect = effect
        self.result = result
        self.isOptimistic = isOptimistic
    }
}

extension ActionSpec {
    /// The parameters of lists that the service gives page by page.
    static let page: [Parameter] = [
        .optional("limit", .integer(1...100), "how many a page has; 20"),
        .optional("token", .text, "`next` of the page before; the first page without it"),
    ]
}

extension ActionSpec.Parameter {
    static func required(_ key: String, _ kind: Kind, _ meaning: String) -> ActionSpec.Parameter {
        ActionSpec.Parameter(key: key, kind: kind, isRequired: true, meaning: meaning)
    }

    static func optional(_ key: String, _ kind: Kind, _ meaning: String) -> ActionSpec.Parameter {
        ActionSpec.Parameter(key: key, kind: kind, isRequired: false, meaning: meaning)
    }

    static let channel = required("channel_url", .name, "the channel")
    static let message = required("message_id", .messageID, "the message")
}
