import SyncModel
import TestSupport
import SyncStore
import XCTest

@testable import SyncEngine

/// What is said of messages by events of their own: whichever comes first, what is shown and stored has all of it.
final class RelationTests: EngineTestCase {
    private typealias Case = EngineTestCase

    private func relation(_ id: MessageID, of target: MessageID, order: Int64 = 0) -> Relation {
        Relation(id: id, target: target, kind: "reaction", order: order, json: Array("{}".utf8))
    }

    private func tell(_ added: [Relation] = [], removed: [MessageID] = []) {
        event(.messageRelations(
            channelURL: "c", RelationChanges(added: added, removed: removed), Cause(.eventReactionUpdated)))
    }

    private func begin() {
        start(
            capabilities: ServiceCapabilities(
                channelChanges: .inStream, messageChanges: .inStream, hasGapCheck: false, hasRelations: true),
            rules: FoldingRules())
    }

    /// Connected, with a collection that shows these messages.
    private func show(_ messages: [MessageRecord]) {
        begin()
        openMessages(1, "c")
        connect()
        event(.batch([], resume: "1"))
        serve(channels: [Case.channel("c", last: messages.last)], messages: ["c": messages])
        fetch(1, .previous)
        serve(messages: ["c": messages])
    }

    /// The relations in a message that is shown.
    private func shown(_ id: String, in collection: CollectionID = 1) -> String? {
        host.json(collection, .succeeded, id).map(related)
    }

    private func related(_ json: String) -> String {
        json.range(of: #""related":["#).map { String(json[$0.upperBound...].prefix { $0 != "]" }) } ?? ""
    }

    private func stored(_ id: MessageID) throws -> String? {
        let message = try cache.message(id: id, channel: cache.channels.key("c"))
        return message.map { related(String(decoding: $0.json, as: UTF8.self)) }
    }

    func testARelationBehindItsMessage() throws {
        show([Case.message(1), Case.message(2)])
        forgetEvents()
        tell([relation("r1", of: "1", order: 2), relation("r2", of: "1", order: 1)])
        XCTAssertEqual(shown("1"), #""r2","r1""#)
        XCTAssertEqual(try stored("1"), #""r2","r1""#)
        XCTAssertEqual(host.changes.map(\.cause.source), [.eventReactionUpdated])
        // The same once more changes nothing.
        tell([relation("r1", of: "1", order: 2)])
        XCTAssertEqual(host.changes.count, 1)
        tell(removed: ["r2"])
        XCTAssertEqual(shown("1"), #""r1""#)
        tell(removed: ["r1", "r2"])
        XCTAssertEqual(shown("1"), "")
        XCTAssertEqual(try stored("1"), "")
        XCTAssertEqual(shown("2"), "")
    }

    private func page(_ message: MessageRecord, _ relation: Relation) -> MessagePage {
        var page = Case.page([message])
        page.relations.added = [relation]
        return page
    }

    private static func isFirstPage(_ request: ServiceRequest) -> Bool {
        if case .messagesAround = request { true } else { false }
    }

    /// The answer to a page that was given up for a hole is as old as it was asked.
    func testAPageThatWasGivenUpBringsNoRelationBack() throws {
        begin()
        openMessages(1, "c")
        connect()
        event(.batch([], resume: "1"))
        XCTAssertEqual(asked(RelationTests.isFirstPage).count, 1)
        event(.batch([.hole(channelURL: "c", older: "", newer: Case.page([Case.message(1)]))], resume: "2"))
        tell([relation("r1", of: "1")])
        tell(removed: ["r1"])
        answer(.messages(page(Case.message(1), relation("r1", of: "1"))), to: RelationTests.isFirstPage)
        XCTAssertEqual(try stored("1"), "")
    }

    func testARelationBeforeItsMessage() throws {
        show([Case.message(1)])
        tell([relation("r1", of: "2"), relation("r2", of: "3"), relation("r3", of: "2", order: 1)])
        tell(removed: ["r1"])
        event(.messageReceived(channelURL: "c", message: Case.message(2)))
        XCTAssertEqual(shown("2"), #""r3""#)
        XCTAssertEqual(try stored("2"), #""r3""#)
        // An edit leaves them where they are.
        event(.messageUpdated(channelURL: "c", message: Case.message(2, text: "new", updatedAt: Case.wall + 9000)))
        XCTAssertEqual(shown("2"), #""r3""#)
        XCTAssert(host.json(1, .succeeded, "2")?.contains("new") == true)
    }

    /// A relation that is about another message now leaves the first one.
    func testARelationMovesToAnotherMessage() throws {
        show([Case.message(1), Case.message(2)])
        tell([relation("r1", of: "1")])
        tell([relation("r1", of: "2")])
        XCTAssertEqual(shown("1"), "")
        XCTAssertEqual(shown("2"), #""r1""#)
    }

    func testTheLastMessageOfAChannelHasThem() throws {
        show([Case.message(1), Case.message(2)])
        tell([relation("r1", of: "2")])
        let channel = try XCTUnwrap(try cache.channels.channel("c"))
        XCTAssertEqual(related(String(decoding: channel.json, as: UTF8.self)), #""r1""#)
    }

    func testAMessageThatIsGoneTakesThemAlong() throws {
        show([Case.message(1), Case.message(2)])
        tell([relation("r1", of: "1"), relation("r2", of: "2")])
        event(.messageDeleted(channelURL: "c", messageID: "1"))
        let key = try cache.channels.key("c")
        XCTAssertEqual(try cache.relations.relations(of: "1", channel: key), [])
        XCTAssertEqual(try cache.relations.relations(of: "2", channel: key).count, 1)
    }

    /// They are stored while nobody shows the channel, and there after a restart.
    func testNobodyShowsTheChannel() throws {
        show([Case.message(1), Case.message(2)])
        command(.post(.removeCollection(id: 1)))
        tell([relation("r1", of: "1"), relation("r2", of: "7")])
        begin()
        openMessages(2, "c")
        fetch(2, .previous)
        XCTAssertEqual(shown("1", in: 2), #""r1""#)
        command(.call(newCall(), .connect))
        event(.connected(SessionInfo(userID: "mei", loginTime: Case.wall, isContinued: true)))
        event(.batch([.messageReceived(channelURL: "c", message: Case.message(7))], resume: "2"))
        XCTAssertEqual(shown("7", in: 2), #""r2""#)
    }

    /// What a page says is of its own messages, and of others that are held.
    private func page(_ messages: [MessageRecord], _ relations: RelationChanges) -> ServiceReply {
        var page = Case.page(messages)
        page.relations = relations
        return .messages(page)
    }

    private func showNothingYet() {
        begin()
        openMessages(1, "c")
        connect()
        event(.batch([], resume: "1"))
        answer(.channels(ChannelPage(channels: [Case.channel("c")], next: "")), to: isChannelListing)
        if asked(isAround).isEmpty { fetch(1, .previous) }
    }

    func testAPageBringsRelations() throws {
        showNothingYet()
        answer(
            page([Case.message(1), Case.message(2)], RelationChanges(added: [relation("r1", of: "1")])), to: isAround)
        fetch(1, .previous)
        XCTAssertEqual(shown("1"), #""r1""#)
        XCTAssertEqual(shown("2"), "")
    }

    /// One that was taken back while the page was under way does not come back with it.
    func testATakenBackRelationOvertakesAPage() throws {
        showNothingYet()
        tell(removed: ["r1"])
        let both = [relation("r1", of: "1"), relation("r2", of: "1", order: 1)]
        answer(page([Case.message(1), Case.message(2)], RelationChanges(added: both)), to: isAround)
        fetch(1, .previous)
        XCTAssertEqual(shown("1"), #""r2""#)
    }

    /// A page counts only when its relations are stored: nothing of it is held without them. It is asked for again
    /// behind the batch with which the stream goes on.
    func testAPageWhoseRelationsCannotBeStoredIsAskedForAgain() throws {
        showNothingYet()
        cache.setCommitHook { () throws(StoreError) in throw .full }
        let reply = page([Case.message(1)], RelationChanges(added: [relation("r1", of: "1")]))
        answer(reply, to: isAround)
        cache.setCommitHook(nil)
        XCTAssertEqual(try cache.chunks.of(channel: cache.channels.key("c")), [])
        wait(120_000)
        XCTAssertEqual(resumedFrom, ["1"])
        XCTAssertEqual(asked(isAround).count, 0)
        event(.batch([], resume: "1"))
        answer(reply, to: isAround)
        fetch(1, .previous)
        XCTAssertEqual(shown("1"), #""r1""#)
    }

    /// Which of them were taken back, nobody tells where the stream does not go on: pages bring those that are left.
    func testAStreamThatDoesNotGoOn() throws {
        show([Case.message(1), Case.message(2)])
        tell([relation("r1", of: "1"), relation("r2", of: "2")])
        loseConnection()
        command(.call(newCall(), .connect))
        event(.connected(SessionInfo(userID: "mei", loginTime: Case.wall, isContinued: false)))
        event(.batch([], resume: "9"))
        let key = try cache.channels.key("c")
        XCTAssertEqual(try cache.relations.relations(of: "1", channel: key), [])
        if !asked(isChannelListing).isEmpty {
            let channel = Case.channel("c", last: Case.message(2))
            answer(.channels(ChannelPage(channels: [channel], next: "")), to: isChannelListing)
        }
        answer(
            page([Case.message(1), Case.message(2)], RelationChanges(added: [relation("r2", of: "2")])), to: isAround)
        XCTAssertEqual(shown("1"), "")
        XCTAssertEqual(shown("2"), #""r2""#)
    }

    /// A channel that loses all its messages, since room is made, keeps relations of those that may still come.
    func testRelationsOfMessagesToComeOutliveMakingRoom() throws {
        let key = try cache.channels.key("c")
        try cache.upsert([Case.message(1)], channel: key)
        _ = try cache.relations.upsert([relation("r2", of: "2")], channel: key)
        var slice = CacheSlice(
            EngineOptions(userID: "mei", accessToken: "t"), ServiceCapabilities(hasRelations: true))
        try slice.trim(key, keeping: .newest(0), cache)
        XCTAssertTrue(slice.isChannelDone)
        XCTAssertNil(try cache.message(id: "1", channel: key))
        XCTAssertEqual(try cache.relations.relations(of: "2", channel: key).count, 1)
    }

    /// A service without relations pays for none: nothing is looked up or changed.
    func testAServiceWithoutRelations() throws {
        start(rules: FoldingRules())
        openMessages(1, "c")
        connect()
        let told = Array(String(decoding: Case.message(1).json, as: UTF8.self).dropLast().utf8)
            + Array(#","related":["x"]}"#.utf8)
        var message = Case.message(1)
        message.json = told
        serve(channels: [Case.channel("c", last: message)], messages: ["c": [message]])
        fetch(1, .previous)
        XCTAssertEqual(shown("1"), #""x""#)
    }
}
