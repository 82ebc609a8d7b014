import SyncBytes
import SyncEngine
import SyncJSON
import SyncModel

/// The documents with which hosts send, edit and delete own messages.
enum OwnMessage {
    enum Outgoing {
        case message(requestID: RequestID, body: [UInt8])
        /// The document asks to send a failed message again.
        case resend(requestID: RequestID)
    }

    /// The keys of a text message, apart from those that identify it.
    private enum Field: String {
        case message, data, customType = "custom_type", mentionType = "mention_type"
        case mentionedUserIDs = "mentioned_user_ids", parentMessageID = "parent_message_id"
        case replyToChannel = "reply_to_channel", metaArrays = "sorted_metaarray", silent, pushOption = "push_option"
        case pinsMessage = "pin_message", targetLanguages = "target_langs", pollID = "poll_id"
        case mentionTemplate = "mentioned_message_template", payload = "extended_message_payload"
        case criticalAlert = "apple_critical_alert_options"
    }
    private enum PushOption: String, CaseIterable { case `default`, suppress }
    private enum MentionType: String, CaseIterable { case users, channel }

    /// `random`: bytes for the request id of a document that has none.
    static func outgoing(
        _ bytes: [UInt8], random: (_ count: Int) -> [UInt8]?
    ) throws(DocumentError) -> Outgoing {
        let document = try DocumentValue(parsing: bytes)
        if let resend = document.member("resend") {
            for (name, value) in try document.members() where name != "resend" {
                throw value.failure("a document with \"resend\" has no other key")
            }
            return .resend(requestID: RequestID(try resend.nonemptyText()))
        }
        try checkFields(document, others: ["request_id", "resend", "file", "files", "wait"])
        if let wait = document.member("wait") { _ = try wait.flag() }
        let hasFiles = try OwnFile.read(document)
        let requestID = try document.member("request_id").map { (value) throws(DocumentError) in
            RequestID(try value.nonemptyText())
        }
        // A file needs no text.
        if let message = document.member("message") {
            if !hasFiles { _ = try message.nonemptyText() }
        } else if !hasFiles {
            throw document.missing("message")
        }
        guard let requestID = requestID ?? random(16).map(freshRequestID) else {
            throw document.failure("the system has no random bytes for a request id")
        }
        return .message(requestID: requestID, body: body(document, without: ["request_id", "resend"]))
    }

    /// A message sent through the collection of a thread is a reply in it, unless the host named another one.
    static func body(_ body: [UInt8], inThread parentID: MessageID) -> [UInt8] {
        guard !parentID.isEmpty, let document = try? JSON.parse(body), document["parent_message_id"] == nil else {
            return body
        }
        document.set("parent_message_id", parentID.json)
        return document.serialized()
    }

    private static func checkFields(_ document: DocumentValue, others: [String]) throws(DocumentError) {
        for (name, value) in try document.members() where !others.contains(name) {
            guard let field = Field(rawValue: name) else { throw value.unknown(in: "message") }
            if value.json.isNull { continue }
            switch field {
            case .message, .data, .customType, .mentionTemplate: _ = try value.text()
            case .mentionType: _ = try value.choice(MentionType.self)
            case .mentionedUserIDs: _ = try value.texts(allowEmpty: true)
            case .parentMessageID, .pollID: _ = try value.messageID()
            case .replyToChannel, .silent, .pinsMessage: _ = try value.flag()
            case .pushOption: _ = try value.choice(PushOption.self)
            case .targetLanguages: _ = try value.texts()
            case .payload: _ = try value.members()
            case .criticalAlert: try checkCriticalAlert(value)
            case .metaArrays: for entry in try value.list() { try checkMetaArray(entry) }
            }
        }
    }

    private static func checkMetaArray(_ entry: DocumentValue) throws(DocumentError) {
        for (name, value) in try entry.members() where name != "key" && name != "value" {
            throw value.unknown(in: "meta array")
        }
        guard let key = entry.member("key") else { throw entry.missing("key") }
        _ = try key.nonemptyText()
        if let values = entry.member("value") { _ = try values.texts(allowEmpty: true) }
    }

    /// Checks the alert that rings on a device that is silent.
    private static func checkCriticalAlert(_ options: DocumentValue) throws(DocumentError) {
        for (name, value) in try options.members() {
            switch name {
            case "name": _ = try value.nonemptyText()
            case "volume":
                guard let volume = value.json.double, (0...1).contains(volume) else {
                    throw value.failure("expected a number from 0 to 1")
                }
            default: throw value.unknown(in: "critical alert")
            }
        }
    }

    private static func body(_ document: DocumentValue, without keys: [String]) -> [UInt8] {
        let body = document.json
        for key in keys { body.set(key, nil) }
        // In the service's form, whether the host wrote a number or a text. An invalid id was refused before.
        for key in [Field.parentMessageID.rawValue, Field.pollID.rawValue] {
            if let id = document.member(key), !id.json.isNull, let read = try? id.messageID() {
                body.set(key, read.json)
            }
        }
        return body.serialized()
    }

    /// Indirect, so that it is moved as a pointer: its cases differ in size, and the compiler's code for moving them
    /// would read bytes that are not set.
    indirect enum Appended {
        case pending(requestID: RequestID, body: [UInt8])
        /// The service has it already.
        case sent(requestID: RequestID, MessageRecord)
    }

    /// Reads a message that the host sends itself: an object with a request id and a text or file, or the service's
    /// object.
    static func appended(_ bytes: [UInt8], read: ChosenService.MessageReader) throws(DocumentError) -> Appended {
        let document = try DocumentValue(parsing: bytes)
        _ = try document.members()
        if let id = document.member("message_id"), try id.messageID() != "0" {
            let requestID = RequestID(try requestID(document)?.text() ?? "")
            return .sent(requestID: requestID, try message(document, read))
        }
        guard let requestID = try requestID(document) else { throw document.missing("request_id") }
        if let text = document.member("message") {
            _ = try text.text()
        } else if document.member("url") == nil, document.member("file") == nil, document.member("files") == nil {
            // A file message needs no text.
            throw document.missing("message")
        }
        return .pending(
            requestID: RequestID(try requestID.nonemptyText()), body: document.json.serialized())
    }

    /// Reads the outcome of such a send: the service's message, or the document that was given to append.
    static func response(
        _ bytes: [UInt8], errorCode: Int32, read: ChosenService.MessageReader
    ) throws(DocumentError) -> (requestID: RequestID, outcome: SendOutcome) {
        let document = try DocumentValue(parsing: bytes)
        let members = try document.members()
        guard let value = try requestID(document) else { throw document.missing("request_id") }
        let requestID = RequestID(try value.nonemptyText())
        guard errorCode == 0 else {
            let ids = ["request_id", "req_id", "message_id", "channel_url"]
            let saysSomething = members.contains { !ids.contains($0.key) }
            return (requestID, .failed(code: Int(errorCode), body: saysSomething ? document.json.serialized() : nil))
        }
        return (requestID, .sent(try message(document, read)))
    }

    private static func requestID(_ document: DocumentValue) throws(DocumentError) -> DocumentValue? {
        document.member("request_id") ?? document.member("req_id")
    }

    private static func message(
        _ document: DocumentValue, _ read: ChosenService.MessageReader
    ) throws(DocumentError) -> MessageRecord {
        guard let message = read(document.json) else {
            throw DocumentError(
                path: "$.message_id", message: "expected the service's message, with its id and its time")
        }
        return message
    }

    /// Reads which message is to be deleted.
    static func deletion(_ bytes: [UInt8]) throws(DocumentError) -> OwnMessageReference {
        let document = try DocumentValue(parsing: bytes)
        for (name, value) in try document.members() where name != "message_id" && name != "request_id" {
            throw value.unknown(in: "deletion")
        }
        return try reference(document)
    }

    enum Edit {
        /// The service's object after the host's edit.
        case sent(MessageRecord)
        /// The fields to change in a failed message.
        case unsent(requestID: RequestID, body: [UInt8])
    }

    /// Reads an edit: the service's object, or a failed message by its request id.
    static func edit(_ bytes: [UInt8], read: ChosenService.MessageReader) throws(DocumentError) -> Edit {
        let document = try DocumentValue(parsing: bytes)
        _ = try document.members()
        switch try reference(document) {
        case .sent: return .sent(try message(document, read))
        case .unsent(let requestID):
            try checkFields(document, others: ["message_id", "request_id"])
            return .unsent(requestID: requestID, body: body(document, without: ["message_id", "request_id"]))
        }
    }

    /// A message that has no id of the service yet is identified by its request id; its object has `"message_id":0`.
    private static func reference(_ document: DocumentValue) throws(DocumentError) -> OwnMessageReference {
        let requestID = try document.member("request_id").map { (value) throws(DocumentError) in try value.text() }
        if let value = document.member("message_id") {
            let id = try value.messageID()
            if id != "0" { return .sent(id: id) }
        }
        guard let requestID, !requestID.isEmpty else {
            throw DocumentError(path: "$.message_id", message: "expected a message_id or a request_id")
        }
        return .unsent(requestID: RequestID(requestID))
    }

    /// A UUID of version 4.
    private static func freshRequestID(_ random: [UInt8]) -> RequestID {
        var bytes = random
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        let parts = [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].map { Hex.text(bytes[$0]) }
        return RequestID(parts.joined(separator: "-"))
    }
}
