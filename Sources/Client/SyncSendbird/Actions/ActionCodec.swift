import SyncBytes
import SyncJSON
import SyncModel

/// How one action goes over the wire, and what its answer means.
struct ActionCodec {
    enum Wire {
        /// `path` begins behind "/v3".
        case http(method: String, path: String, query: Query = Query(), body: JSON? = nil)
        /// A socket command; `isAnswered` when the service answers with the request id.
        case frame(String, JSON, isAnswered: Bool = false)
        /// This service has nothing for it.
        case unsupported
    }

    /// The request. `userID` is the connected user.
    let encode: (_ call: ActionCall, _ userID: UserID) -> Wire
    /// The answer's body, `nil` when it is empty or is no JSON object.
    var decode: (_ answer: JSON?, _ call: ActionCall, _ userID: UserID) -> ActionReply = { answer, _, _ in
        ActionReply(result: answer?.serialized())
    }

    private static func file(_ result: @escaping (ActionCall) -> JSON?) -> ActionCodec {
        ActionCodec(
            encode: { _, _ in .unsupported },
            decode: { _, call, _ in ActionReply(result: result(call)?.serialized()) })
    }

    static func codec(of action: Action) -> ActionCodec {
        switch action {
        case .editMessage: editMessage
        case .deleteMessage: deleteMessage
        case .addReaction, .removeReaction: reaction(isAdded: action == .addReaction)
        case .pinMessage, .unpinMessage: pin(isPinned: action == .pinMessage)
        case .translateMessage: translateMessage
        case .createMetaArrayKeys, .addMetaArrayValues: metaArray(isAdded: true)
        case .deleteMetaArrayKeys, .removeMetaArrayValues: metaArray(isAdded: false)
        case .createPoll: createPoll
        case .getPoll: getPoll
        case .listPolls: listPolls
        case .updatePoll: updatePoll
        case .closePoll: closePoll
        case .deletePoll: deletePoll
        case .addPollOption: addPollOption
        case .updatePollOption: updatePollOption
        case .deletePollOption: deletePollOption
        case .votePoll: votePoll
        case .listPollVoters: listPollVoters
        case .listPollChanges: listPollChanges
        case .scheduleMessage: scheduleMessage
        case .getScheduledMessage: getScheduledMessage
        case .listScheduledMessages: listScheduledMessages
        case .updateScheduledMessage: updateScheduledMessage
        case .cancelScheduledMessage: cancelScheduledMessage
        case .sendScheduledMessageNow: sendScheduledMessageNow
        case .markAsRead: markAsRead
        case .markAllAsRead: markAllAsRead
        case .markAsUnread: markAsUnread
        case .markAsDelivered: markAsDelivered
        case .startTyping: typing("TPST")
        case .endTyping: typing("TPEN")
        case .createChannel: createChannel
        case .getChannel: getChannel
        case .updateChannel: updateChannel
        case .deleteChannel: deleteChannel
        case .hideChannel: hideChannel
        case .unhideChannel: unhideChannel
        case .freezeChannel: freeze(true)
        case .unfreezeChannel: freeze(false)
        case .resetHistory: resetHistory
        case .getMessage: getMessage
        case .listPublicChannels: listPublicChannels
        case .invite: invite
        case .acceptInvitation: join("/accept")
        case .declineInvitation: declineInvitation
        case .join: join("/join")
        case .leave: leave
        case .listMembers: listMembers
        case .addOperators: addOperators
        case .removeOperators: removeOperators
        case .listOperators: listOfUsers("/operators", "operators")
        case .muteUser: restrict("/mute", .eventUserMuted)
        case .unmuteUser: release("/mute", .eventUserUnmuted)
        case .listMutedUsers: listOfUsers("/mute", "muted_list")
        case .banUser: restrict("/ban", .eventUserBanned)
        case .unbanUser: release("/ban", .eventUserUnbanned)
        case .listBannedUsers: listOfUsers("/ban", "banned_list")
        case .createMetadata: change(.metadata, "POST")
        case .updateMetadata: change(.metadata, "PUT")
        case .deleteMetadata: remove(.metadata)
        case .getMetadata: read(.metadata)
        case .createCounters: change(.counters, "POST")
        case .updateCounters: change(.counters, "PUT")
        case .deleteCounters: remove(.counters)
        case .getCounters: read(.counters)
        case .getPushPreference: getPushPreference
        case .setPushPreference: setPushPreference
        case .setCountPreference: setCountPreference
        case .listUsers: listUsers
        case .blockUser: blockUser
        case .unblockUser: unblockUser
        case .listBlockedUsers: listBlockedUsers
        case .updateProfile: updateProfile
        case .listPushTokens: listPushTokens
        case .registerPushToken: registerPushToken
        case .unregisterPushToken: unregisterPushToken
        case .unregisterAllPushTokens: unregisterAllPushTokens
        case .reportUser: reportUser
        case .reportChannel: reportChannel
        case .reportMessage: reportMessage
        case .serviceInfo: serviceInfo
        // Their requests are made where the key is (`RequestEncoder`).
        case .downloadFile: file { call in JSON.object(["path": .string(call.text("path") ?? "")]) }
        case .fileURL: file { _ in nil }
        case .statistics, .options, .cancel, .clearChannels, .setLimit, .resendFailedMessages, .removeFailedMessages,
            .databaseGet, .databaseSet, .databaseUpdate, .databasePush, .databaseRemove, .databaseCount,
            .databaseTransaction, .databaseTransformed, .databaseListen, .databaseUnlisten, .databaseSetToken,
            .databaseOffline, .databaseOnline, .resourceRegister, .resourcePush, .resourceReset, .resourcePop,
            .resourceLookup, .resourceCreate, .resourceUpdate, .resourceDestroy, .resourceCreateOrUpdate,
            .resourceToggle, .resourceContinue, .resourceRef, .resourceCollectionRef, .resourceStatistics:
            ActionCodec(encode: { _, _ in .unsupported })
        }
    }
}

extension ActionCall {
    /// "/group_channels/URL", escaped.
    var channelPath: String { "/group_channels/" + PercentEncoding.escape(channelURL.text) }
    /// "/group_channels/URL/messages/ID", escaped.
    var messagePath: String { channelPath + "/messages/" + PercentEncoding.escape(messageID.text) }
}
