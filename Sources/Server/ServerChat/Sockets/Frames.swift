import ServerBase
import SyncJSON

/// Commands of the socket as text: four letters, a JSON object, a line feed.
public enum Frames {
    public static func frame(_ command: String, _ body: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(body.count + 5)
        result.append(contentsOf: command.utf8)
        result.append(contentsOf: body)
        result.append(0x0A)
        return result
    }

    public static func frame(_ command: String, _ body: JSON) -> [UInt8] { frame(command, body.serialized()) }

    /// The frame as an acknowledgement: with the request id, whatever it was, as the first member.
    public static func acknowledgement(_ frame: [UInt8], requestID: JSON) -> [UInt8] {
        guard frame.count > 6 else { return frame }
        var result = Array(frame[..<5])
        result.append(contentsOf: "\"req_id\":".utf8)
        result.append(contentsOf: requestID.serialized())
        if frame[5] != UInt8(ascii: "}") { result.append(UInt8(ascii: ",")) }
        result.append(contentsOf: frame[5...])
        return result
    }

    /// The frame with one more member, its last.
    public static func adding(_ member: StaticString, _ value: [UInt8], to frame: [UInt8]) -> [UInt8] {
        guard frame.count > 6 else { return frame }
        var result = Array(frame.dropLast(2))
        result.reserveCapacity(frame.count + value.count + 16)
        if result.last != UInt8(ascii: "{") { result.append(UInt8(ascii: ",")) }
        result.append(UInt8(ascii: "\""))
        member.withUTF8Buffer { result.append(contentsOf: $0) }
        result.append(contentsOf: "\":".utf8)
        result.append(contentsOf: value)
        result.append(contentsOf: "}\n".utf8)
        return result
    }

    /// The frame for a command that failed.
    public static func error(_ error: Refusal, requestID: JSON?) -> [UInt8] {
        let body = JSON.object(["error": true, "code": .int(Int64(error.code)), "message": .string(error.message)])
        if let requestID { body.set("req_id", requestID) }
        return frame("EROR", body)
    }

    /// An event of a channel.
    public static func channelEvent(
        _ category: Int64, _ channel: ChannelRow, at now: Int64, _ data: JSON, _ extra: JSON? = nil
    ) -> [UInt8] {
        let body = JSON.object([
            "cat": .int(category), "channel_url": .string(channel.url), "channel_type": "group",
            "channel_id": .int(channel.id), "ts": .int(now), "sts": .int(now), "data": data,
            "is_super": .bool(channel.isSuper), "is_access_code_required": .bool(!channel.accessCode.isEmpty),
        ])
        for (key, value) in extra?.members ?? [] { body.set(key, value) }
        return frame("SYEV", body)
    }
}
