import SyncModel

/// docs/actions.md and docs/schema/action.json, as the table of actions has it.
enum ActionPages {
    private static var specs: [(name: String, spec: ActionSpec)] {
        Action.allCases.map { ($0.rawValue, $0.spec) }
    }

    // MARK: The page

    static var page: String {
        var lines = [
            """
            # Actions

            What `sm_call()` can be asked for. This page is written from the code's table (`SyncModel/Actions`) by
            `SM_WRITE=1 swift test --filter ActionPagesTests`; [action.json](schema/action.json) is its schema.

                {"action":"add_reaction","channel_url":"c","message_id":"42","key":"heart"}

            Every action also takes `timeout_ms` (1 to 86,400,000; the client's `request_timeout_ms` without it): after
            so long it completes with TIMEOUT, and whether it was done is not known. A null is the same as a missing
            key, but for values of the database; an unknown key is refused.
            What an action made known is told to collections before the call completes, but for what the service has to
            be asked for besides.

            *Connection*: an action that needs a login and has none completes with NOT_CONNECTED at once; nothing is
            queued. One of the realtime database ([database.md](database.md)) needs no login, but the configuration's
            `database`: without it it is refused. *Optimistic*: collections show the outcome at once, and what was
            before again when the service refuses it.

            | action | connection | optimistic | result |
            |---|---|---|---|
            """
        ]
        for (name, spec) in specs {
            let cells = [
                "[`\(name)`](#\(name))", spec.connection.rawValue, spec.isOptimistic ? "yes" : "", spec.result,
            ]
            lines.append("| " + cells.joined(separator: " | ") + " |")
        }
        for (name, spec) in specs {
            lines += ["", "## \(name)", "", "Collections: \(spec.effect)."]
            if spec.parameters.isEmpty { continue }
            lines += ["", "| key | value | meaning |", "|---|---|---|"]
            for parameter in spec.parameters {
                let optional = parameter.isRequired ? "" : ", optional"
                lines.append("| `\(parameter.key)` | \(words(parameter.kind))\(optional) | \(parameter.meaning) |")
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func words(_ kind: ActionSpec.Parameter.Kind) -> String {
        switch kind {
        case .name: "text, not empty"
        case .text: "text"
        case .names: "list of texts"
        case .selection: "list of texts, not empty"
        case .integer(let range) where range.upperBound == Int64.max: "whole number from \(range.lowerBound)"
        case .integer(let range): "whole number, \(range.lowerBound) to \(range.upperBound)"
        case .flag: "true or false"
        case .time: "ms since the epoch"
        case .messageID: "id: whole number or text"
        case .ids: "list of ids: whole numbers or texts"
        case .word(let words): words.map { "`\($0)`" }.joined(separator: ", ")
        case .form(.databaseKey): "key of the database"
        case .form(.pathTemplate): "path"
        case .form(.contextResources): "object of resources"
        case .form(.counterList): "list of counters"
        case .words(let words): "list of " + words.map { "`\($0)`" }.joined(separator: ", ")
        case .texts: "object of texts, not empty"
        case .integers: "object of whole numbers, not empty"
        case .textLists: "object of lists of texts"
        case .object: "object"
        case .value: "any JSON value, null too"
        case .bound: "null, true, false, number or text, or a list of one and a key"
        }
    }

    // MARK: The schema

    static var schema: String {
        var lines = [
            "{",
            "  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",",
            "  \"title\": \"The request of sm_call()\",",
            "  \"description\": \"Written with docs/actions.md. A null is the same as a missing member.\",",
            "  \"type\": \"object\",",
            "  \"properties\": {",
            "    \"action\": {\"enum\": [\(specs.map { "\"\($0.name)\"" }.joined(separator: ", "))]}",
            "  },",
            "  \"required\": [\"action\"],",
            "  \"allOf\": [",
        ]
        for (index, entry) in specs.enumerated() {
            let required = entry.spec.parameters.filter(\.isRequired).map(\.key)
            lines += [
                "    {",
                "      \"if\": {\"properties\": {\"action\": {\"const\": \"\(entry.name)\"}}},",
                "      \"then\": {",
                "        \"properties\": {",
                "          \"action\": true,",
            ]
            for parameter in entry.spec.parameters {
                let value = schema(parameter.kind, isRequired: parameter.isRequired)
                lines.append("          \"\(parameter.key)\": \(value),")
            }
            lines += [
                "          \"timeout_ms\": {\"type\": [\"integer\", \"null\"], \"minimum\": 1, \"maximum\": 86400000}",
                "        },",
                "        \"required\": [\(required.map { "\"\($0)\"" }.joined(separator: ", "))],",
                "        \"additionalProperties\": false",
                "      }",
                "    }" + (index + 1 < specs.count ? "," : ""),
            ]
        }
        lines += ["  ]", "}"]
        return lines.joined(separator: "\n") + "\n"
    }

    private static func schema(_ kind: ActionSpec.Parameter.Kind, isRequired: Bool) -> String {
        func type(_ name: String) -> String { isRequired ? "\"\(name)\"" : "[\"\(name)\", \"null\"]" }
        func common(_ name: String) -> String {
            let reference = "{\"$ref\": \"common.json#/$defs/\(name)\"}"
            return isRequired ? reference : "{\"anyOf\": [\(reference), {\"type\": \"null\"}]}"
        }
        func object(of values: String, atLeast least: Int = 0) -> String {
            let minimum = least > 0 ? ", \"minProperties\": \(least)" : ""
            return "{\"type\": \(type("object"))\(minimum), \"additionalProperties\": \(values)}"
        }
        let names = "{\"$ref\": \"common.json#/$defs/name\"}"
        switch kind {
        case .name: return common("name")
        case .text: return common("text")
        case .names: return "{\"type\": \(type("array")), \"items\": \(names)}"
        case .selection: return "{\"type\": \(type("array")), \"minItems\": 1, \"items\": \(names)}"
        case .integer(let range):
            return "{\"type\": \(type("integer")), \"minimum\": \(range.lowerBound), \"maximum\": \(range.upperBound)}"
        case .flag: return "{\"type\": \(type("boolean"))}"
        case .time: return common("time")
        case .messageID:
            let null = isRequired ? "" : ", {\"type\": \"null\"}"
            return "{\"anyOf\": [{\"type\": \"integer\", \"minimum\": 0}, \(names)\(null)]}"
        case .ids:
            let items = "{\"anyOf\": [{\"type\": \"integer\", \"minimum\": 0}, \(names)]}"
            return "{\"type\": \(type("array")), \"items\": \(items)}"
        case .word(let words):
            return "{\"enum\": [\((words.map { "\"\($0)\"" } + (isRequired ? [] : ["null"])).joined(separator: ", "))]}"
        case .form(let form): return common(form.rawValue)
        case .words(let words):
            let items = "{\"enum\": [\(words.map { "\"\($0)\"" }.joined(separator: ", "))]}"
            return "{\"type\": \(type("array")), \"items\": \(items)}"
        case .texts: return object(of: "{\"$ref\": \"common.json#/$defs/text\"}", atLeast: 1)
        case .integers: return object(of: "{\"type\": \"integer\"}", atLeast: 1)
        case .textLists: return object(of: "{\"type\": \"array\", \"items\": {\"$ref\": \"common.json#/$defs/text\"}}")
        case .object: return "{\"type\": \(type("object"))}"
        case .value: return "{}"
        case .bound:
            let leaf = "{\"type\": [\"null\", \"boolean\", \"number\", \"string\"]}"
            let pair = "\"type\": \"array\", \"prefixItems\": [\(leaf), {\"type\": \"string\"}]"
            return "{\"anyOf\": [\(leaf), {\(pair), \"minItems\": 2, \"maxItems\": 2}]}"
        }
    }
}
