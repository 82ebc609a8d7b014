/// The actions of `sm_call`, grouped by what they are about. The type of each group says what its actions take and do;
/// docs/actions.md is made from these types, in this order.
public enum Action: Hashable, Sendable {
    case message(MessageAction)
    case poll(PollAction)
    case scheduled(ScheduledAction)
    case reading(ReadingAction)
    case channel(ChannelAction)
    case member(MemberAction)
    case property(PropertyAction)
    case user(UserAction)
    case file(FileAction)
    case database(DatabaseAction)
    case resource(ResourceAction)
    case library(LibraryAction)

    public var spec: ActionSpec {
        switch self {
        case .message(let action): action.spec
        case .poll(let action): action.spec
        case .scheduled(let action): action.spec
        case .reading(let action): action.spec
        case .channel(let action): action.spec
        case .member(let action): action.spec
        case .property(let action): action.spec
        case .user(let action): action.spec
        case .file(let action): action.spec
        case .database(let action): action.spec
        case .resource(let action): action.spec
        case .library(let action): action.spec
        }
    }
}

extension Action: CaseIterable {
    public static let allCases: [Action] = [
        MessageAction.allCases.map(Action.message),
        PollAction.allCases.map(Action.poll),
        ScheduledAction.allCases.map(Action.scheduled),
        ReadingAction.allCases.map(Action.reading),
        ChannelAction.allCases.map(Action.channel),
        MemberAction.allCases.map(Action.member),
        PropertyAction.allCases.map(Action.property),
        UserAction.allCases.map(Action.user),
        FileAction.allCases.map(Action.file),
        DatabaseAction.allCases.map(Action.database),
        ResourceAction.allCases.map(Action.resource),
        LibraryAction.allCases.map(Action.library),
    ].flatMap { $0 }
}

extension Action: RawRepresentable {
    private static let byName = Dictionary(allCases.map { ($0.rawValue, $0) }) { first, _ in first }

    public init?(rawValue: String) {
        guard let action = Action.byName[rawValue] else { return nil }
        self = action
    }

    /// The action's name.
    public var rawValue: String {
        switch self {
        case .message(let action): action.rawValue
        case .poll(let action): action.rawValue
        case .scheduled(let action): action.rawValue
        case .reading(let action): action.rawValue
        case .channel(let action): action.rawValue
        case .member(let action): action.rawValue
        case .property(let action): action.rawValue
        case .user(let action): action.rawValue
        case .file(let action): action.rawValue
        case .database(let action): action.rawValue
        case .resource(let action): action.rawValue
        case .library(let action): action.rawValue
        }
    }
}
