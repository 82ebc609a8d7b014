import SyncJSON
import SyncModel
import TestSupport
import XCTest

@testable import SyncSendbird

/// Random messages in canonical shape are put into the socket's, as servers do it, and must come back as they were.
final class SocketShapeTests: XCTestCase {
    private var random = SeededGenerator(seed: 0)

    private func chance(_ of: Int) -> Bool { Int.random(in: 0..<of, using: &random) == 0 }

    private func text() -> JSON {
        .string(["", "hi", "\"quoted\"\n", "é😀", "back\\slash", "\u{0}"].randomElement(using: &random) ?? "")
    }

    private func user() -> JSON {
        let user = JSON.object(["user_id": .string("u\(Int.random(in: 0..<99, using: &random))"), "nickname": text()])
        if chance(2) { user.set("profile_url", text()) }
        if chance(2) { user.set("metadata", .object(["name": text(), "image": text()])) }
        return user
    }

    private func message(_ command: String) -> JSON {
        let message = JSON.object([
            "type": .string(command), "message_id": .int(Int64.random(in: 1...Int64.max, using: &random)),
            "created_at": .int(Int64.random(in: 0...2_000_000_000_000, using: &random)), "channel_url": "c",
            "message": text(), "data": text(), "custom_type": text(),
        ])
        if command != "ADMM" { message.set("user", user()) }
        if chance(2) { message.set("updated_at", .int(Int64.random(in: 0...9, using: &random))) }
        if chance(3) {
            message.set("parent_message_id", .int(Int64.random(in: 0...9, using: &random)))
            message.set("is_reply_to_channel", .bool(chance(2)))
        }
        if chance(2) { message.set("mentioned_users", .array((0..<2).map { _ in user() })) }
        if chance(2) { message.set("silent", .bool(chance(2))) }
        if chance(2) { message.set("reactions", .array([.object(["key": "x", "user_ids": .strings(["a"])])])) }
        if command == "FILE", chance(4) {
            message.set("files", .array([.object(["url": "a"]), .object(["url": "b"])]))
        } else if command == "FILE" {
            let file = JSON.object(["url": text(), "name": text()])
            if chance(2) { file.set("size", .int(7)) }
            if chance(2) { file.set("type", "image/png") }
            message.set("file", file)
        }
        if chance(2) {
            let keys = ["b", "a", "\"", "ü"].shuffled(using: &random).prefix(Int.random(in: 0...4, using: &random))
            message.set("sorted_metaarray", .array(keys.map {
                .object(["key": .string($0), "value": .array([text()])])
            }))
        }
        return message
    }

    /// `mixed`: old names stand beside the new ones, as with servers that serve clients of both.
    private func socketShape(_ message: JSON, isMixed: Bool) -> JSON {
        let result = JSON.object()
        func set(_ new: String, _ old: String, _ value: JSON) {
            if isMixed { result.set(new, value) }
            result.set(old, value)
        }
        func user(_ user: JSON) -> JSON {
            let result = JSON.object()
            for (key, value) in user.members ?? [] {
                let names = ["user_id": "guest_id", "nickname": "name", "profile_url": "image"]
                if isMixed || names[key] == nil { result.set(key, value) }
                if let old = names[key] { result.set(old, value) }
            }
            return result
        }
        for (key, value) in message.members ?? [] {
            switch key {
            case "type": break
            case "message_id": set(key, "msg_id", value)
            case "created_at": set(key, "ts", value)
            case "data": set(key, "custom", value)
            case "is_reply_to_channel": set(key, "reply_to_channel", value)
            case "user": result.set(key, user(value))
            case "mentioned_users": result.set(key, .array((value.array ?? []).map(user)))
            case "file":
                if isMixed { result.set(key, value) }
                for (name, part) in value.members ?? [] { result.set(name, part) }
            case "sorted_metaarray":
                let (map, order) = (JSON.object(), JSON.array())
                for element in value.array ?? [] {
                    map.set(element["key"]?.string ?? "", element["value"])
                    order.append(element["key"] ?? .null)
                }
                result.set("metaarray", map)
                result.set("metaarray_key_order", order)
            default: result.set(key, value)
            }
        }
        if chance(2) { result.set("unread_cnt", .object(["all": 1])) }
        if chance(2) { result.set("channel_id", 7) }
        if chance(2) { result.set("req_id", chance(2) ? "" : .null) }
        if chance(2) { result.set("previous_message_id", 5) }
        return result
    }

    private func members(_ json: [UInt8]) -> Int {
        json.withUnsafeBytes { bytes in
            var count = 0
            try? JSONSlice.checked(bytes).forEachMember { _, _ in count += 1 }
            return count
        }
    }

    /// One difference alone makes the text be written in another way.
    func testEachDifferenceIsSeen() throws {
        func text(_ more: String) -> String {
            #"{"type":"MESG","message_id":7,"created_at":9,"channel_url":"c","message":"hi"\#(more)}"#
        }
        let cases: [(told: String, canonical: String)] = [
            ("", ""),
            (#","user":{"guest_id":"bo"}"#, #","user":{"user_id":"bo"}"#),
            (#","user":{"user_id":"bo","name":"Bo"}"#, #","user":{"user_id":"bo","nickname":"Bo"}"#),
            (#","user":{"image":"i","profile_url":"p"}"#, #","user":{"profile_url":"p"}"#),
            (#","user":7"#, #","user":7"#),
            (#","mentioned_users":[{"user_id":"a"},{"name":"B"}]"#,
             #","mentioned_users":[{"user_id":"a"},{"nickname":"B"}]"#),
            (#","mentioned_users":{"name":"B"}"#, #","mentioned_users":{"name":"B"}"#),
            (#","custom":"d""#, #","data":"d""#), (#","custom":"d","data":"e""#, #","data":"e""#),
            (#","reply_to_channel":true"#, #","is_reply_to_channel":true"#),
            (#","reply_to_channel":true,"is_reply_to_channel":false"#, #","is_reply_to_channel":false"#),
            (#","msg_id":8"#, ""), (#","ts":8"#, ""), (#","req_id":"""#, ""), (#","req_id":7"#, ""),
            (#","unread_cnt":{}"#, ""), (#","previous_message_id":1"#, ""), (#","unique_id":1"#, ""),
            (#","sts":1"#, ""), (#","request_id":"r""#, ""), (#","channel_id":1"#, ""), (#","old_values":{}"#, ""),
            (#","metaarray":{"a":["1"]}"#, #","sorted_metaarray":[{"key":"a","value":["1"]}]"#),
            (#","metaarray":[1]"#, #","sorted_metaarray":[1]"#), (#","metaarray":7"#, ""),
            (#","metaarray":{"a":["1"]},"sorted_metaarray":[]"#, #","sorted_metaarray":[]"#),
            (#","metaarray_key_order":[]"#, ""),
            (#","name":"n","size":1,"url":"u""#, #","name":"n","size":1,"url":"u""#),
        ]
        for (told, canonical) in cases {
            guard case .event(.messageReceived("c", let message)) = FrameDecoder.forTest.decode(
                Array(("MESG" + text(told)).utf8)).first
            else { return XCTFail(told) }
            XCTAssertEqual(String(decoding: message.json, as: UTF8.self), text(canonical), told)
        }
        for command in ["FILE", "ADMM", "BRDM"] {
            guard case .event(.messageReceived("c", let message)) = FrameDecoder.forTest.decode(
                Array((command + text("")).utf8)).first
            else { return XCTFail(command) }
            XCTAssertEqual(try JSON.parse(message.json)["type"]?.string, command)
        }
    }

    func testWhatIsToldByTheSocketIsWhatPagesBring() throws {
        for seed in 0..<1500 as Range<UInt64> {
            random = SeededGenerator(seed: seed)
            let command = ["MESG", "FILE", "ADMM", "BRDM"].randomElement(using: &random) ?? ""
            let rest = message(command)
            let fromPage = try XCTUnwrap(SendbirdService.message(rest), "seed \(seed)")
            for isMixed in [false, true] {
                let frame = Array((command + socketShape(rest, isMixed: isMixed).text).utf8)
                guard case .event(.messageReceived("c", let told)) = FrameDecoder.forTest.decode(frame).first else {
                    return XCTFail("seed \(seed): no message")
                }
                XCTAssertEqual(try JSON.parse(told.json), rest, "seed \(seed) mixed \(isMixed)")
                XCTAssertEqual(members(told.json), rest.count, "seed \(seed) mixed \(isMixed): one is there twice")
                XCTAssertEqual(Described.text(told), Described.text(fromPage), "seed \(seed) mixed \(isMixed)")
            }
            // In canonical shape it stays as it is, byte for byte.
            let frame = Array((command + rest.text).utf8)
            guard case .event(.messageReceived("c", let told)) = FrameDecoder.forTest.decode(frame).first else {
                return XCTFail("seed \(seed): no message")
            }
            XCTAssertEqual(told, fromPage, "seed \(seed)")
            XCTAssertEqual(told.json, rest.serialized(), "seed \(seed)")
        }
    }
}
