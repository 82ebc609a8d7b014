import XCTest

@testable import ServerChat

/// What a row says is in the file under the right names: each property has a value of its own here.
final class ColumnsTests: XCTestCase {
    private func storage() throws -> Storage { try Storage(path: ":memory:") }

    /// Names and values of all properties.
    private func properties(_ row: Any) -> [String] {
        Mirror(reflecting: row).children.map { "\($0.label ?? ""): \($0.value)" }
    }

    private var channel: ChannelRow {
        var row = ChannelRow(url: "url", createdAt: 1)
        (row.name, row.coverURL, row.data, row.customType, row.createdBy) = ("n", "c", "d", "t", "by")
        (row.flags, row.accessCode, row.survival, row.distinctKey) = ([.isSuper, .strict], "code", 60, "key")
        (row.lastMessageID, row.lastMessageAt, row.countable, row.memberCount, row.joinedCount) = (2, 3, 4, 5, 6)
        row.pinned = Array("[7]".utf8)
        return row
    }

    func testChannels() throws {
        let storage = try storage()
        var stored = try storage.channels.insert(channel)
        XCTAssertEqual(properties(try XCTUnwrap(storage.channels.channel("url"))), properties(stored))
        (stored.name, stored.coverURL, stored.data, stored.customType) = ("n2", "c2", "d2", "t2")
        (stored.flags, stored.accessCode, stored.survival, stored.distinctKey) = ([.frozen], "code2", 61, "key2")
        stored.pinned = Array("[8]".utf8)
        try storage.channels.update(stored)
        XCTAssertEqual(properties(try XCTUnwrap(storage.channels.channel("url"))), properties(stored))
    }

    func testMembers() throws {
        let storage = try storage()
        var row = MembershipRow(channelID: 1, userID: "u", state: .invited)
        (row.isOperator, row.inviter, row.invitedAt, row.joinedAt, row.lastRead) = (true, "i", 2, 3, 4)
        (row.delivered, row.readTotal, row.ownUnread, row.mentions, row.hidden) = (5, 6, 7, 8, .always)
        (row.offset, row.countPreference, row.pushTrigger, row.mutedUntil, row.mutedAt) = (9, "off", "all", 10, 11)
        (row.muteNote, row.pushSound, row.silentID, row.silentAt) = ("note", "sound", 12, 13)
        try storage.members.save(row, at: 14)
        (row.changeSeq, row.changeAt) = (storage.lastSequence, 14)
        XCTAssertEqual(properties(try XCTUnwrap(storage.members.membership(1, "u"))), properties(row))
    }

    func testUsers() throws {
        let storage = try storage()
        var row = UserRow(id: "u", nickname: "n", profileURL: "p", accessToken: "a", createdAt: 1)
        row.metadata = Array(#"{"k":"v"}"#.utf8)
        row.languages = Array(#"["de"]"#.utf8)
        row.details = Array(#"{"d":1}"#.utf8)
        (row.revokedToken, row.isActive, row.lastSeenAt, row.acceptsInvitations) = ("r", false, 2, false)
        try storage.users.save(row)
        XCTAssertEqual(properties(try XCTUnwrap(storage.users.user("u"))), properties(row))
        // Behind the columns of another table.
        var member = MembershipRow(channelID: 1, userID: "u", state: .joined)
        member.joinedAt = 3
        try storage.members.save(member, at: 4)
        let both = try XCTUnwrap(storage.members.list(1).first)
        XCTAssertEqual(properties(both.user), properties(row))
        XCTAssertEqual(both.membership.joinedAt, 3)
    }

    func testMessages() throws {
        let storage = try storage()
        func row(_ text: String) -> MessageRow {
            var row = MessageRow(
                channelID: 1, createdAt: 2, id: 3, kind: .file, customType: text + "t", sender: "s", parentID: 4,
                isInChannel: false, isCountable: true, json: Array(text.utf8))
            row.metaarray = Array((text + "m").utf8)
            row.reactions = Array((text + "r").utf8)
            row.threadInfo = Array((text + "i").utf8)
            row.parentInfo = Array((text + "p").utf8)
            return row
        }
        try storage.messages.insert(row("1"))
        XCTAssertEqual(properties(try XCTUnwrap(storage.messages.message(3))), properties(row("1")))
        try storage.messages.update(row("2"))
        XCTAssertEqual(properties(try XCTUnwrap(storage.messages.message(3))), properties(row("2")))
        var bare = row("3")
        (bare.metaarray, bare.reactions, bare.threadInfo, bare.parentInfo) = (nil, nil, nil, nil)
        try storage.messages.update(bare)
        XCTAssertEqual(properties(try XCTUnwrap(storage.messages.message(3))), properties(bare))
    }
}
