import SyncJSON
import SyncModel
import XCTest

@testable import SyncMatrix

/// A homeserver that the test plays by hand.
class MatrixCase: XCTestCase {
    static let me: UserID = "@mei:x"
    static let room: ChannelURL = "!lunch:x"
    let service = MatrixService(userID: MatrixCase.me, homeserver: "http://x/")
    var now = Moment(monotonic: 1000, wall: 1_700_000_000_000)
    private(set) var events: [ServiceEvent] = []
    private(set) var replies: [UInt64: ServiceReply] = [:]
    /// Requests to /sync, and others, in order.
    private(set) var polls: [(id: UInt64, url: String)] = []
    private(set) var requests: [(id: UInt64, request: TransportRequest)] = []

    func take() {
        for output in service.takeOutputs() {
            switch output {
            case .event(let event): events.append(event)
            case .reply(let id, let reply): replies[id] = reply
            case .transport(.openStream(let id, let request)): polls.append((id, request.url))
            case .transport(.send(let request, let id)): requests.append((id, request))
            case .transport, .progress: break
            }
        }
    }

    func start(resume: String? = nil) {
        service.connect(SessionStart(token: "T", resume: resume), now: now)
        take()
    }

    /// The answer to the present request to /sync.
    func sync(_ document: String) {
        guard let poll = polls.last else { return XCTFail("nothing was asked") }
        service.receive(.streamOpened(poll.id), now: now)
        // In two pieces, as a network may bring it.
        let bytes = Array(document.utf8)
        service.receive(.streamBytes(poll.id, Array(bytes.prefix(7))), now: now)
        service.receive(.streamBytes(poll.id, Array(bytes.dropFirst(7))), now: now)
        service.receive(.streamEnded(poll.id, nil), now: now)
        take()
    }

    func refuse(_ status: Int, _ document: String) {
        guard let poll = polls.last else { return XCTFail("nothing was asked") }
        service.receive(
            .streamRefused(poll.id, TransportResponse(status: status, headers: [], body: Array(document.utf8))),
            now: now)
        take()
    }

    /// The answer to the latest of the other requests.
    func answer(_ document: String, status: Int = 200) {
        guard let request = requests.last else { return XCTFail("nothing was asked") }
        service.receive(
            .response(
                id: request.id, TransportResponse(status: status, headers: [], body: Array(document.utf8))), now: now)
        take()
    }

    func ask(_ request: ServiceRequest, id: UInt64 = 1) {
        service.ask(request, id: id, timeout: 10_000, now: now)
        take()
    }

    /// What the latest batch told, in words.
    var batch: [String] {
        guard case .batch(let events, _) = events.last else { return ["no batch"] }
        return events.map { event in
            switch event {
            case .messageReceived(_, let message): "message \(message.id)"
            case .messageDeleted(_, let id): "deleted \(id)"
            case .messageRelations(_, let changes, _):
                "relations +\(changes.added.map(\.id.text)) -\(changes.removed.map(\.text))"
            case .hole(_, let older, let page):
                "hole \(older) \(page.messages.map(\.id.text)) from \(page.range?.start.token ?? "-")"
            case .channelAnswered(let channel, _): "channel \(channel.name) \(channel.traits.memberState)"
            case .channel(_, .patched): "patched"
            case .channel(_, .removed): "removed"
            case .channel(_, .typing(let user, _, let isTyping)): "\(user) typing \(isTyping)"
            default: "other"
            }
        }
    }

    static func text(_ id: String, _ body: String, sender: String = "@bo:x", _ more: String = "") -> String {
        #"{"event_id":"\#(id)","type":"m.room.message","sender":"\#(sender)","origin_server_ts":5,"#
            + #""content":{"msgtype":"m.text","body":"\#(body)"\#(more)}}"#
    }

    static let state = #"{"type":"m.room.create","state_key":"","sender":"@bo:x","origin_server_ts":1,"#
        + #""event_id":"$c","content":{}},{"type":"m.room.name","state_key":"","sender":"@bo:x","#
        + #""event_id":"$n","origin_server_ts":2,"content":{"name":"Lunch"}}"#

    static func joined(
        _ timeline: [String], limited: Bool = false, state: String = "", more: String = "", next: String
    ) -> String {
        #"{"next_batch":"\#(next)","rooms":{"join":{"\#(room)":{"state":{"events":[\#(state)]},"#
            + #""timeline":{"events":[\#(timeline.joined(separator: ","))],"limited":\#(limited),"#
            + #""prev_batch":"p\#(next)"}\#(more)}}}}"#
    }
}
