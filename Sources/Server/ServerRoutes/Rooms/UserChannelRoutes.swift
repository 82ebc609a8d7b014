import ServerBase
import ServerChat
import ServerHTTP
import SyncBytes
import SyncJSON

/// Requests of a user about the channels it is a member of.
struct UserChannelRoutes: Routes {
    let context: RouteContext

    func myChannels(_ request: RoutedRequest) throws -> HTTPResponse {
        let caller = try caller(request, as: request["user"])
        return HTTPResponse(body: try chat.lists.myChannels(caller.userID, ChannelListQuery(request.query)))
    }

    func myChannelChanges(_ request: RoutedRequest) throws -> HTTPResponse {
        let caller = try caller(request, as: request["user"])
        return HTTPResponse(body: try chat.lists.channelChanges(caller.userID, ChannelChangesQuery(request.query)))
    }

    func markAllRead(_ request: RoutedRequest) throws -> HTTPResponse {
        let caller = try caller(request, as: request["user"])
        let wanted = try request.payload().strings("channel_urls")
        for (channel, membership) in try chat.contents.channels(of: caller.userID) where membership.state == .joined {
            if let wanted, !wanted.containsBytes(of: channel.url) { continue }
            try chat.reading.markRead(caller, channel.id)
        }
        return HTTPResponse(.object(["ts": .int(chat.now)]))
    }

    func leaveAll(_ request: RoutedRequest) throws -> HTTPResponse {
        let caller = try caller(request, as: request["user"])
        let type = try request.payload().string("custom_type")
        for (channel, membership) in try chat.contents.channels(of: caller.userID) where membership.state != .gone {
            if let type, !type.isByteEqual(to: channel.customType) { continue }
            try chat.members.leave(channel, [caller.userID])
        }
        return .empty
    }

    func countPreference(_ request: RoutedRequest) throws -> HTTPResponse {
        let caller = try caller(request, as: request["user"])
        let channel = try chat.channel(request["url"])
        var member = try chat.access.ownMembership(caller.userID, in: channel)
        if request.method == "PUT" {
            member = try chat.preferences.setCountPreference(
                try request.payload().required("count_preference"), of: member)
        }
        return HTTPResponse(.object(["count_preference": .string(member.countPreference)]))
    }

    func pushPreference(_ request: RoutedRequest) throws -> HTTPResponse {
        let caller = try caller(request, as: request["user"])
        let channel = try chat.channel(request["url"])
        var member = try chat.access.ownMembership(caller.userID, in: channel)
        if request.method == "PUT" {
            member = try chat.preferences.changePushPreference(try request.payload(), of: member)
        }
        return HTTPResponse(
            .object([
                "push_trigger_option": .string(member.pushTrigger), "enable": .bool(member.pushTrigger != "off"),
                "push_sound": .string(member.pushSound.isEmpty ? "default" : member.pushSound),
            ]))
    }

    func joinedChannels(of userID: String, _ wanted: OwnChannelsQuery) throws -> [ChannelContents.OwnChannel] {
        try chat.contents.channels(of: userID, wanted).filter { $0.membership.state == .joined }
    }

    private func unread(_ entries: [ChannelContents.OwnChannel]) -> Int64 {
        entries.reduce(0) { $0 + $1.membership.unread(in: $1.channel) }
    }

    func unreadMessageCount(_ request: RoutedRequest) throws -> HTTPResponse {
        let caller = try caller(request, as: request["user"])
        let joined = try joinedChannels(of: caller.userID, OwnChannelsQuery(request.query))
        let counts = try chat.unread.counts(of: caller.userID)
        return HTTPResponse(
            .object([
                "unread_count": .int(unread(joined)), "unread_feed_count": 0,
                "custom_types": counts["custom_types"] ?? .object(), "ts": .int(chat.now),
            ]))
    }

    func unreadChannelCount(_ request: RoutedRequest) throws -> HTTPResponse {
        let caller = try caller(request, as: request["user"])
        let unread = try joinedChannels(of: caller.userID, OwnChannelsQuery(request.query))
            .filter { $0.membership.unread(in: $0.channel) > 0 }
        return HTTPResponse(.object(["unread_count": .int(Int64(unread.count))]))
    }

    func channelCount(_ request: RoutedRequest) throws -> HTTPResponse {
        let caller = try caller(request, as: request["user"])
        let mine = try chat.contents.channels(of: caller.userID, OwnChannelsQuery(request.query))
        let joined = mine.filter { $0.membership.state == .joined }
        let invited = mine.filter { $0.membership.state == .invited }
        let byFriends = try invited.filter { try chat.contents.isInvitedByFriend($0.membership) }
        let count =
            switch request.query.text("state", "member_state_filter") {
            case "invited", "invited_only": invited.count
            case "invited_by_friend": byFriends.count
            case "invited_by_non_friend": invited.count - byFriends.count
            case "joined", "joined_only": joined.count
            default: mine.count
            }
        return HTTPResponse(.object(["group_channel_count": .int(Int64(count))]))
    }

    func unreadItemCount(_ request: RoutedRequest) throws -> HTTPResponse {
        let caller = try caller(request, as: request["user"])
        let mine = try chat.contents.channels(of: caller.userID, OwnChannelsQuery(request.query))
        let result = JSON.object()
        func part(_ prefix: String, _ entries: [ChannelContents.OwnChannel]) {
            let joined = entries.filter { $0.membership.state == .joined }
            result.set("\(prefix)_unread_message_count", .int(unread(joined)))
            result.set("\(prefix)_unread_mention_count", .int(joined.reduce(0) { $0 + $1.membership.unreadMentions }))
            result.set(
                "\(prefix)_invitation_count", .int(Int64(entries.filter { $0.membership.state == .invited }.count)))
        }
        part("group_channel", mine)
        part("super_group_channel", mine.filter { $0.channel.isSuper })
        part("non_super_group_channel", mine.filter { !$0.channel.isSuper })
        let keys = request.query.choice("item_keys")
        for (key, _) in result.members ?? [] where keys.map({ !$0.contains(key) }) ?? false { result.set(key, nil) }
        return HTTPResponse(result)
    }
}
