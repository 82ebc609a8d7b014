import ServerBase
import SyncBytes
import SyncJSON

/// A request's body, read once: as JSON, or as the fields and files of a form.
public final class RequestForm {
    private var payload: Fields?
    private var files: [(name: String, file: UploadedFile)] = []
    private var taken: TextSet = []
    private var watch: KeyWatch?

    public func payload(of request: HTTPRequest) throws -> Fields {
        if let payload { return payload }
        let type = request.header("Content-Type") ?? ""
        let made: Fields
        if let parts = request.parts {
            made = try read(parts.finish())
        } else if request.isMultipart {
            let reader = MultipartReader(contentType: type)
            request.body.withUnsafeBytes { reader.append($0) }
            made = try read(reader.finish())
        } else if type.lowercased().hasPrefix("application/x-www-form-urlencoded"), !RequestForm.isJSON(request.body) {
            made = Fields(RequestForm.object(RequestQuery(request.body[...]).all), isWholeBody: true)
        } else {
            made = try Fields(body: request.body)
        }
        if let watch { made.watch(watch) }
        payload = made
        return made
    }

    public func take(_ name: String) -> UploadedFile? {
        watch?.note(name)
        taken.insert(name)
        return files.first { $0.name.isByteEqual(to: name) }?.file
    }

    /// From now on every key that is asked for is noted, whether it is there or not. To be called before the first one.
    public func watch(_ watch: KeyWatch) { self.watch = watch }

    /// The keys that nobody has asked for: they had no effect.
    public var unusedKeys: [String] {
        (payload?.unusedKeys ?? []) + files.map(\.name).filter { !taken.contains($0) }
    }

    private func read(_ parts: [MultipartReader.Part]) throws -> Fields {
        var fields: [(key: String, value: String)] = []
        let whole = JSON.object()
        for part in parts {
            let head = part.head
            if let fileName = head.fileName {
                files.append((head.name, UploadedFile(name: fileName, type: head.type, content: part.content)))
                continue
            }
            guard case .memory(let bytes) = part.content else { continue }
            guard head.type.lowercased().hasPrefix("application/json") else {
                fields.append((head.name, String(decoding: bytes, as: UTF8.self)))
                continue
            }
            guard let value = try? JSON.parse(bytes) else {
                throw Refusal(400_403, "The part \"\(head.name)\" is not valid JSON.")
            }
            whole.set(head.name, value)
        }
        for (key, value) in RequestForm.object(fields).members ?? [] { whole.set(key, value) }
        return Fields(whole, isWholeBody: true)
    }

    /// Fields as an object; one that comes several times is a list, and so is one that holds a JSON list.
    private static func object(_ fields: [(key: String, value: String)]) -> JSON {
        let result = JSON.object()
        for (key, value) in fields {
            let isNested = value.first == "[" || value.first == "{"
            let entry = isNested ? (try? JSON.parse(Array(value.utf8))) ?? .string(value) : .string(value)
            guard let known = result[key] else {
                result.set(key, entry)
                continue
            }
            if known.kind == .array {
                known.append(entry)
            } else {
                result.set(key, .array([known, entry]))
            }
        }
        return result
    }

    /// Whether the body is JSON in spite of its content type: some clients send their library's usual type with JSON.
    private static func isJSON(_ body: [UInt8]) -> Bool { body.first { $0 > 0x20 } == UInt8(ascii: "{") }
}
