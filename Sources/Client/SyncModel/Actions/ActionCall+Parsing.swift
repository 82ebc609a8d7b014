import SyncJSON

extension ActionCall {
    /// Keys that every action takes.
    private static let common: Set<String> = ["action", "timeout_ms"]

    /// Reads a host's document. Every key is checked against the table; a wrong one is refused with its path.
    public init(_ bytes: [UInt8]) throws(DocumentError) {
        let document = try DocumentValue(parsing: bytes)
        let members = try document.members()
        guard let name = document.member("action") else { throw document.missing("action") }
        let text = try name.nonemptyText()
        guard let action = Action(rawValue: text) else { throw name.failure("there is no action \"\(text)\"") }
        let arguments = try ActionCall.arguments(
            of: action, in: document, members.filter { !ActionCall.common.contains($0.key) })
        let timeout = try document.member("timeout_ms").map { (value) throws(DocumentError) in
            try value.integer(in: 1...86_400_000)
        }
        self.init(action: action, arguments: arguments, timeout: timeout)
    }

    /// Reads an object that has the keys of an action and no others.
    public init(_ action: Action, arguments document: DocumentValue) throws(DocumentError) {
        let members = try document.members()
        self.init(action: action, arguments: try ActionCall.arguments(of: action, in: document, members))
    }

    private static func arguments(
        of action: Action, in document: DocumentValue, _ members: [(key: String, value: DocumentValue)]
    ) throws(DocumentError) -> [String: Value] {
        let parameters = action.spec.parameters
        for (key, value) in members where !parameters.contains(where: { $0.key == key }) {
            throw value.failure("the action \"\(action.rawValue)\" has no such key")
        }
        var arguments: [String: Value] = [:]
        for parameter in parameters {
            if parameter.kind.takesNull {
                guard let value = members.first(where: { $0.key == parameter.key })?.value else {
                    if parameter.isRequired { throw document.missing(parameter.key) }
                    continue
                }
                arguments[parameter.key] = try ActionCall.read(value, parameter.kind)
            } else if let value = document.member(parameter.key) {
                arguments[parameter.key] = try ActionCall.read(value, parameter.kind)
            } else if parameter.isRequired {
                throw document.missing(parameter.key)
            }
        }
        return arguments
    }

    private static func read(_ value: DocumentValue, _ kind: ActionSpec.Parameter.Kind) throws(DocumentError) -> Value {
        switch kind {
        case .name: return .text(try value.nonemptyText())
        case .text: return .text(try value.text())
        case .names: return .texts(try value.texts())
        case .selection:
            let texts = try value.texts()
            if texts.isEmpty { throw value.failure("expected a list that is not empty") }
            return .texts(texts)
        case .integer(let range): return .integer(try value.integer(in: range))
        case .flag: return .flag(try value.flag())
        case .time: return .integer(try value.time())
        case .messageID: return .text(try value.messageID().text)
        case .ids:
            var ids: [String] = []
            for element in try value.list() { ids.append(try element.messageID().text) }
            return .texts(ids)
        case .word(let words): return .text(try value.word(of: words))
        case .form(let form) where form.isText: return .text(try value.nonemptyText())
        case .form: return .object(value.json.serialized())
        case .words(let words):
            var list: [String] = []
            for element in try value.list() { list.append(try element.word(of: words)) }
            return .texts(list)
        case .texts:
            for (_, member) in try ActionCall.someMembers(of: value) { _ = try member.text() }
            return .object(value.json.serialized())
        case .textLists:
            for (_, member) in try value.members() { _ = try member.texts(allowEmpty: true) }
            return .object(value.json.serialized())
        case .integers:
            for (_, member) in try ActionCall.someMembers(of: value) {
                _ = try member.integer(in: Int64.min...Int64.max)
            }
            return .object(value.json.serialized())
        case .value: return .object(value.json.serialized())
        case .bound:
            try ActionCall.checkBound(value)
            return .object(value.json.serialized())
        case .object:
            _ = try value.members()
            return .object(value.json.serialized())
        }
    }

    private static func checkBound(_ value: DocumentValue) throws(DocumentError) {
        let leaf = value.json.array.map { $0.count == 2 && $0[1].string != nil ? $0[0] : value.json } ?? value.json
        guard leaf.array == nil, leaf.members == nil else {
            throw value.failure("expected null, true, false, a number or a text, or a list of one and a key")
        }
    }

    private static func someMembers(
        of value: DocumentValue
    ) throws(DocumentError) -> [(key: String, value: DocumentValue)] {
        let members = try value.members()
        if members.isEmpty { throw value.failure("expected an object that is not empty") }
        return members
    }
}
