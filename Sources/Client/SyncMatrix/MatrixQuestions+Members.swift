import SyncBytes
import SyncJSON
import SyncModel

// Members of rooms: who they are, and what operators do to them. What changes is told by the stream.
extension MatrixQuestions {
    static let memberActions: Set<MemberAction> = [
        .listMembers, .listOperators, .listBannedUsers, .addOperators, .removeOperators, .banUser, .unbanUser,
    ]

    func members(_ action: MemberAction, _ call: ActionCall) -> MatrixStep {
        let url = call.channelURL
        switch action {
        case .listMembers: return list("members", call) { Self.isWanted($0, call) }
        case .listOperators: return list("users", call) { $0.isIn && $0.isOperator }
        case .listBannedUsers: return list("users", call) { $0.membership == "ban" }
        case .addOperators: return setLevel(RoomRanks.operatorLevel, of: call.texts("user_ids") ?? [], in: url)
        case .removeOperators: return setLevel(nil, of: call.texts("user_ids") ?? [], in: url)
        case .banUser:
            // A ban has no end.
            guard call.integer("seconds") == nil else { return .reply(.failure(.unsupported)) }
            let body = JSON.object(["user_id": .string(call.text("user_id") ?? "")])
            if let reason = call.text("description") { body.set("reason", .string(reason)) }
            return post("POST", ["rooms", url.text, "ban"], body) { _ in MatrixQuestions.done() }
        case .unbanUser:
            let body = JSON.object(["user_id": .string(call.text("user_id") ?? "")])
            return post("POST", ["rooms", url.text, "unban"], body) { _ in MatrixQuestions.done() }
        default: return .reply(.failure(.unsupported))
        }
    }

    private static func isWanted(_ member: RoomMember, _ call: ActionCall) -> Bool {
        guard member.isIn, call.text("muted_member_filter") != "muted" else { return false }
        switch call.text("member_state_filter") {
        case "joined_only": if member.membership != "join" { return false }
        case "invited_only": if member.membership != "invite" { return false }
        default: break
        }
        switch call.text("operator_filter") {
        case "operator": if !member.isOperator { return false }
        case "nonoperator": if member.isOperator { return false }
        default: break
        }
        return member.name.hasPrefix(call.text("nickname_startswith") ?? "")
    }

    /// The server has all members in one answer; its pages are made here. A page's token says how many came before it.
    private func list(
        _ key: String, _ call: ActionCall, _ isWanted: @escaping (RoomMember) -> Bool
    ) -> MatrixStep {
        let before = call.text("token").map { Int($0) ?? -1 } ?? 0
        guard before >= 0 else { return .reply(.failure(.notFound("token: of no page"))) }
        let limit = Int(clamping: call.integer("limit") ?? 20)
        let byRole = call.text("order") == "operator_then_member_alphabetical"
        let members = api.request("GET", ["rooms", call.channelURL.text, "members"], timeout: timeout)
        return .ask(members) { answer in
            guard answer.isGood, let events = answer.document?["chunk"]?.array else {
                return .reply(MatrixQuestions.reply(ofRoom: answer) { _ in nil })
            }
            return ranks(call.channelURL) { ranks in
                let wanted = events.compactMap { RoomMember($0, ranks) }.filter(isWanted)
                    .sorted { ($0.rank(byRole), $0.name, $0.id) < ($1.rank(byRole), $1.name, $1.id) }
                let page = wanted.dropFirst(before).prefix(limit)
                let isLast = before >= wanted.count || before + page.count == wanted.count
                let result = JSON.object([
                    key: .array(page.map(\.document)), "next": .string(isLast ? "" : String(before + page.count)),
                ])
                return MatrixQuestions.done([], result.serialized())
            }
        }
    }

    // MARK: Levels

    private func ranks(_ url: ChannelURL, _ then: @escaping (RoomRanks) -> MatrixStep) -> MatrixStep {
        levels(url) { levels in
            .ask(creation(url)) { answer in
                guard answer.isGood, let creation = answer.document else {
                    return .reply(MatrixQuestions.reply(ofRoom: answer) { _ in nil })
                }
                return then(RoomRanks(levels: levels, creation: creation))
            }
        }
    }

    /// The content of the event that says who may do what; a room may have none.
    private func levels(_ url: ChannelURL, _ then: @escaping (JSON) -> MatrixStep) -> MatrixStep {
        .ask(api.request("GET", ["rooms", url.text, "state", RoomRanks.levels], timeout: timeout)) { answer in
            if answer.status == 404 { return then(.object()) }
            guard answer.isGood, let levels = answer.document else {
                return .reply(MatrixQuestions.reply(ofRoom: answer) { _ in nil })
            }
            return then(levels)
        }
    }

    /// `level`: `nil` is that of plain members.
    private func setLevel(_ level: Int64?, of ids: [String], in url: ChannelURL) -> MatrixStep {
        levels(url) { levels in
            let users = levels["users"] ?? .object()
            for id in ids { users.set(id, level.map { .int($0) }) }
            levels.set("users", users)
            return post("PUT", ["rooms", url.text, "state", RoomRanks.levels], levels) { _ in
                MatrixQuestions.done()
            }
        }
    }
}

/// A member of a room, or somebody who was one.
struct RoomMember {
    let id: String
    let name: String
    let membership: String
    let isOperator: Bool
    private let event: JSON

    /// `nil`: the event is none of a member.
    init?(_ event: JSON, _ ranks: RoomRanks) {
        guard let id = event["state_key"]?.string, let membership = event["content"]?["membership"]?.string else {
            return nil
        }
        self.id = id
        self.membership = membership
        self.event = event
        name = event["content"]?["displayname"]?.string ?? ""
        isOperator = ranks.isOperator(id)
    }

    var isIn: Bool { membership == "join" || membership == "invite" }

    func rank(_ byRole: Bool) -> Int { byRole && !isOperator ? 1 : 0 }

    var document: JSON {
        let user = EventReader.user(UserID(id), name, event["content"]?["avatar_url"]?.string)
        user.set("role", isOperator ? "operator" : "none")
        if membership == "ban" {
            user.set("description", .string(event["content"]?["reason"]?.string ?? ""))
            user.set("start_at", .int(max(0, event["origin_server_ts"]?.int ?? 0)))
            user.set("end_at", -1)
        } else {
            user.set("state", membership == "join" ? "joined" : "invited")
        }
        return user
    }
}
