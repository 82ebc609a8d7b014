import SyncJSON
import SyncModel
import SyncTree

extension StreamSpec {
    private enum Key: String {
        case source, descending, start, end, limit, predicate, delivery, section
        case orderBy = "order_by", limitAfterPredicate = "limit_after_predicate"
        case batchDelay = "batch_delay", longestBatch = "batch_max_wait"
    }

    /// The most sections a partition may have, and the most streams of a union.
    static let mostParts = 1000
    /// The longest delay of a batch, in milliseconds.
    private static let longestDelay: Int64 = 60_000
    private static let mostRows = Int64(Int32.max)

    /// Reads what a host wrote (docs/streams.md). What is wrong is refused with its path.
    public init(parsing bytes: [UInt8]) throws(DocumentError) { try self.init(try DocumentValue(parsing: bytes)) }

    public init(_ document: DocumentValue) throws(DocumentError) {
        let members = try document.members()
        guard let source = document.member(Key.source.rawValue) else { throw document.missing(Key.source.rawValue) }
        self.init(source: try StreamSource(source))
        var hasLongest = false
        for (name, value) in members {
            guard let key = Key(rawValue: name) else { throw value.unknown(in: "stream") }
            // A delay of null means: at once.
            if key == .batchDelay {
                batchDelay = value.json.isNull ? nil : try value.integer(in: 0...StreamSpec.longestDelay)
            }
            if !value.json.isNull || key == .start || key == .end { try read(key, value, &hasLongest) }
        }
        if !hasLongest { longestBatch = (batchDelay ?? 0) * 10 }
        try readBounds(document)
        try refuseWhatDoesNotApply(document)
    }

    private mutating func read(_ key: Key, _ value: DocumentValue, _ hasLongest: inout Bool) throws(DocumentError) {
        switch key {
        case .source, .batchDelay, .start, .end: break
        case .orderBy: order.by = value.json.string == "$source" ? .source : .field(try Field(value))
        case .descending: order.isDescending = try value.flag()
        case .limit: limit = Int(try value.integer(in: 1...StreamSpec.mostRows))
        case .predicate: predicate = try Predicate(value)
        case .limitAfterPredicate: limitAfterPredicate = Int(try value.integer(in: 0...StreamSpec.mostRows))
        case .longestBatch:
            longestBatch = try value.integer(in: 0...StreamSpec.longestDelay * 10)
            hasLongest = true
        case .delivery: delivery = try value.choice()
        case .section: section = Int(try value.integer(in: 0...StreamSpec.mostRows))
        }
    }

    /// Read last, since which bounds are valid depends on the order.
    private mutating func readBounds(_ document: DocumentValue) throws(DocumentError) {
        let members = try document.members()
        func bound(_ key: Key) throws(DocumentError) -> StreamBound? {
            guard let value = members.first(where: { $0.key == key.rawValue })?.value else { return nil }
            return try order.bound(TreeRank(value.json), path: value.path)
        }
        start = try bound(.start)
        end = try bound(.end)
    }

    /// Whether the database can be asked for the first rows of this stream: a query has only one order and one range.
    private func isLimited(by call: ActionCall) -> Bool {
        guard case .field(let field) = order.by else { return true }
        let name = field.text
        guard (call.text("order_by") ?? name) == name, field == .key || field == .value || (try? TreePath(name)) != nil
        else { return false }
        let bounds = ["start_at", "start_after", "end_at", "end_before", "equal_to"]
        guard bounds.contains(where: { call.object($0) != nil }) else { return true }
        return start == nil && end == nil && (call.text("order_by") ?? Field.key.text) == name
    }

    private func refuseWhatDoesNotApply(_ document: DocumentValue) throws(DocumentError) {
        func refuse(_ key: Key, _ message: String) throws(DocumentError) {
            if let value = document.member(key.rawValue) { throw value.failure(message) }
        }
        switch source {
        case .external(.database(let call)):
            let own = call.integer("limit_to_first") ?? call.integer("limit_to_last")
            if own != nil { try refuse(.limit, "the source has a limit of its own") }
            if !isLimited(by: call) {
                try refuse(.limit, "the source has an order or bounds of its own, and would be limited by those")
            }
        case .external: break
        case .transient: try refuse(.limit, "a transient stream asks nobody for rows: see limit_after_predicate")
        case .union: try refuse(.limit, "a union asks nobody for rows: see limit_after_predicate")
        case .partition:
            for key in [Key.orderBy, .descending] { try refuse(key, "a partition has the order of its stream") }
            for key in [Key.start, .end, .limit] { try refuse(key, "a partition shows what its stream shows") }
            try refuse(.section, "a partition has sections of its own")
            if case .partition(_, _, .host) = source, case .host? = predicate {
                try refuse(.predicate, "the function of this stream gives the section already")
            }
        }
        if case .union = source {
            // Rows come in the order of the first stream.
            for key in [Key.orderBy, .descending, .start, .end] {
                try refuse(key, "a union has the order of its first stream")
            }
        }
        if case .transient = source, case .source = order.by {
            try refuse(.orderBy, "a transient stream has no order of its own")
        }
    }
}

extension StreamSource {
    init(_ value: DocumentValue) throws(DocumentError) {
        if value.json.string == Kind.transient.rawValue {
            self = .transient
            return
        }
        guard let members = try? value.members(), members.count == 1, let (name, inner) = members.first,
            let kind = Kind(rawValue: name)
        else {
            throw value.failure(
                "expected \"transient\" or an object of one of channels, messages, database, union, partition")
        }
        switch kind {
        case .transient: self = .transient
        case .channels: self = .external(.channels(try ChannelQuery(json: inner.json, path: inner.path)))
        case .messages: self = .external(try StreamSource.messages(inner))
        case .database: self = .external(.database(try ActionCall(.database(.databaseListen), arguments: inner)))
        case .union: self = .union(try StreamSource.numbers(inner))
        case .partition: self = try StreamSource.partition(inner)
        }
    }

    private static func messages(_ value: DocumentValue) throws(DocumentError) -> ExternalSource {
        var url: ChannelURL?
        var filter = MessageFilter()
        var viewpoint = Int64.max
        for (name, member) in try value.members() {
            switch name {
            case "channel_url": url = ChannelURL(try member.nonemptyText())
            case "filter": filter = try MessageFilter(json: member.json, path: member.path)
            case "viewpoint": viewpoint = try member.time()
            default: throw member.unknown(in: "source of messages")
            }
        }
        guard let url else { throw value.missing("channel_url") }
        return .messages(channelURL: url, filter, viewpoint: viewpoint)
    }

    private static func number(_ value: DocumentValue) throws(DocumentError) -> UInt64 {
        UInt64(clamping: try value.integer(in: 1...Int64.max))
    }

    private static func numbers(_ list: DocumentValue) throws(DocumentError) -> [UInt64] {
        let elements = try list.list()
        guard (1...StreamSpec.mostParts).contains(elements.count) else {
            throw list.failure("expected 1 to \(StreamSpec.mostParts) streams")
        }
        var numbers: [UInt64] = []
        for element in elements {
            let number = try number(element)
            if numbers.contains(number) { throw element.failure("a stream stands in a union once") }
            numbers.append(number)
        }
        return numbers
    }

    private static func partition(_ value: DocumentValue) throws(DocumentError) -> StreamSource {
        var stream: UInt64?
        var titles: [String]?
        for (name, member) in try value.members() {
            switch name {
            case "stream": stream = try number(member)
            case "titles":
                titles = try member.texts(allowEmpty: true)
                guard let count = titles?.count, (1...StreamSpec.mostParts).contains(count),
                    count == member.json.count
                else { throw member.failure("expected 1 to \(StreamSpec.mostParts) different titles") }
            case "rule": break
            default: throw member.unknown(in: "partition")
            }
        }
        guard let stream else { throw value.missing("stream") }
        guard let titles else { throw value.missing("titles") }
        guard let rule = value.member("rule") else { throw value.missing("rule") }
        return .partition(of: stream, titles: titles, try SectionRule(rule, count: titles.count))
    }
}

extension SectionRule {
    /// Reads a rule: a condition for each section, a field, or `"$host"`.
    init(_ value: DocumentValue, count: Int) throws(DocumentError) {
        switch value.json.kind {
        case .array:
            var conditions: [RowCondition] = []
            for element in try value.list() { conditions.append(try RowCondition(element)) }
            guard conditions.count == count else {
                throw value.failure("expected \(count) conditions, one for each title")
            }
            self = .conditions(conditions)
        case .string: self = value.json.string == "$host" ? .host : .field(try Field(value))
        default: throw value.failure("expected a list of conditions, a field or \"$host\"")
        }
    }
}

extension Predicate {
    /// Reads a predicate: a condition, or `"$host"`.
    init(_ value: DocumentValue) throws(DocumentError) {
        self = value.json.string == "$host" ? .host : .expression(try RowCondition(value))
    }
}
