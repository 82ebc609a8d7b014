import SyncBytes
import SyncJSON
import SyncModel

/// The timeline of a room, or one of its threads.
struct RoomHistory {
    var room: ChannelURL
    /// The message that a thread's replies are to; empty: the room's own timeline.
    var parent: MessageID = ""

    var isThread: Bool { !parent.isEmpty }
}

/// Requests to a homeserver, as the client-server API has them.
struct MatrixAPI {
    /// With its scheme, without a slash at the end.
    private let homeserver: String
    var token = ""

    init(homeserver: String) {
        let endsInSlash = homeserver.utf8.last == UInt8(ascii: "/")
        self.homeserver = endsInSlash ? String(homeserver.dropLast()) : homeserver
    }

    typealias Query = [(key: StaticString, value: String?)]

    /// `path`: parts that are escaped one by one. Parameters without a value are left out.
    func request(
        _ method: String, _ path: [String], _ query: Query = [], _ body: JSON? = nil, timeout: Int64,
        version: String = "v3"
    ) -> TransportRequest {
        let place = path.map { PercentEncoding.escape($0) }.joined(separator: "/")
        var url = "\(homeserver)/_matrix/client/\(version)/\(place)"
        var sign = "?"
        for (key, value) in query {
            guard let value else { continue }
            url += "\(sign)\(key)=\(PercentEncoding.escape(value))"
            sign = "&"
        }
        var headers = [TransportHeader("Authorization", "Bearer " + token)]
        if body != nil { headers.append(TransportHeader("Content-Type", "application/json")) }
        return TransportRequest(
            method: method, url: url, headers: headers, body: body?.serialized(), timeout: timeout)
    }

    // MARK: The stream

    /// `since`: from where it goes on; `nil`: everything as it is now. `wait`: how long the server may wait for news.
    /// `room`: this one alone, with few messages.
    func sync(since: String?, wait: Int64, timeout: Int64, room: ChannelURL? = nil) -> TransportRequest {
        request(
            "GET", ["sync"],
            [
                ("filter", MatrixAPI.filter(room, isFirst: since == nil).text), ("timeout", String(wait)),
                ("since", since),
            ], timeout: timeout)
    }

    /// How many messages of each room the stream brings at once. With more it leaves out the older ones, which are then
    /// asked for page by page.
    private static func filter(_ room: ChannelURL?, isFirst: Bool) -> JSON {
        let timeline = JSON.object([
            "limit": .int(room != nil ? 1 : isFirst ? 20 : 50), "lazy_load_members": true,
        ])
        let state = JSON.object(["lazy_load_members": true, "include_redundant_members": true])
        let rooms = JSON.object([
            "timeline": timeline, "state": state, "ephemeral": .object(["types": .strings(["m.typing", "m.receipt"])]),
            "account_data": .object(["types": .array()]),
        ])
        if let room { rooms.set("rooms", .strings([room.text])) }
        return .object([
            "room": rooms, "presence": .object(["types": .array()]), "account_data": .object(["types": .array()]),
        ])
    }

    // MARK: History

    static let lazyMembers = JSON.object(["lazy_load_members": true, "include_redundant_members": true]).text

    /// A page from a token on. `until`: the token where, in that direction, the page has to end at the latest.
    /// A thread comes with what its replies have got: reactions and edits.
    func page(
        _ history: RoomHistory, from token: String, _ direction: PageDirection, until: String?, limit: Int,
        timeout: Int64
    ) -> TransportRequest {
        let place: Query = [
            ("dir", direction == .previous ? "b" : "f"), ("from", token), ("to", until), ("limit", String(limit)),
        ]
        let room = history.room.text
        if history.isThread {
            return request(
                "GET", ["rooms", room, "relations", history.parent.text], place + [("recurse", "true")],
                timeout: timeout, version: "v1")
        }
        return request(
            "GET", ["rooms", room, "messages"], place + [("filter", MatrixAPI.lazyMembers)], timeout: timeout)
    }

    func context(_ room: ChannelURL, _ id: MessageID, limit: Int, timeout: Int64) -> TransportRequest {
        request(
            "GET", ["rooms", room.text, "context", id.text],
            [("limit", String(limit)), ("filter", MatrixAPI.lazyMembers)], timeout: timeout)
    }

    // MARK: Sending

    /// `requestID`: the same one again is the same event.
    func send(
        _ room: ChannelURL, type: String, requestID: String, _ content: JSON, timeout: Int64
    ) -> TransportRequest {
        request("PUT", ["rooms", room.text, "send", type, requestID], [], content, timeout: timeout)
    }
}
