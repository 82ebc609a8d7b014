/// Every action with what it takes and does. The one list: requests are checked against it and docs/actions.md is made
/// from it.
public enum ActionTable {
    public static func spec(of action: Action) -> ActionSpec {
        switch action {
        case .editMessage: editMessage
        case .deleteMessage: deleteMessage
        case .addReaction, .removeReaction: reaction
        case .pinMessage, .unpinMessage: pin
        case .translateMessage: translateMessage
        case .createMetaArrayKeys, .deleteMetaArrayKeys: metaArrayKeys
        case .addMetaArrayValues, .removeMetaArrayValues: metaArrayValues
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
        case .startTyping, .endTyping: typing
        case .createChannel: createChannel
        case .getChannel: getChannel
        case .updateChannel: updateChannel
        case .deleteChannel: deleteChannel
        case .hideChannel: hideChannel
        case .unhideChannel: unhideChannel
        case .freezeChannel: freezeChannel
        case .unfreezeChannel: unfreezeChannel
        case .resetHistory: resetHistory
        case .getMessage: getMessage
        case .listPublicChannels: listPublicChannels
        case .invite: invite
        case .acceptInvitation: acceptInvitation
        case .declineInvitation: declineInvitation
        case .join: join
        case .leave: leave
        case .listMembers: listMembers
        case .addOperators: addOperators
        case .removeOperators: removeOperators
        case .listOperators: listOfUsers("the channel's operators")
        case .muteUser: muteUser
        case .unmuteUser: unmuteUser
        case .listMutedUsers: listOfUsers(
                "who is muted, with `description`, `start_at`, `end_at` (-1: without end), `remaining_duration` (ms)")
        case .banUser: banUser
        case .unbanUser: unbanUser
        case .listBannedUsers: listOfUsers(
                "who is banned, with `description`, `start_at`, `end_at` (-1: without end)")
        case .createMetadata: createMetadata
        case .updateMetadata: updateMetadata
        case .deleteMetadata: deleteMetadata
        case .getMetadata: getMetadata
        case .createCounters: createCounters
        case .updateCounters: updateCounters
        case .deleteCounters: deleteCounters
        case .getCounters: getCounters
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
        case .downloadFile: downloadFile
        case .fileURL: fileURL
        case .databaseGet: databaseGet
        case .databaseSet: databaseSet
        case .databaseUpdate: databaseUpdate
        case .databasePush: databasePush
        case .databaseRemove: databaseRemove
        case .databaseCount: databaseCount
        case .databaseTransaction: databaseTransaction
        case .databaseTransformed: databaseTransformed
        case .databaseListen: databaseListen
        case .databaseUnlisten: databaseUnlisten
        case .databaseSetToken: databaseSetToken
        case .databaseOffline: databaseOffline
        case .databaseOnline: databaseOnline
        case .resourceRegister: resourceRegister
        case .resourcePush: resourcePush
        case .resourceReset: resourceReset
        case .resourcePop: resourcePop
        case .resourceLookup: resourceLookup
        case .resourceCreate: resourceCreate
        case .resourceUpdate: resourceUpdate
        case .resourceDestroy: resourceDestroy
        case .resourceCreateOrUpdate: resourceCreateOrUpdate
        case .resourceToggle: resourceToggle
        case .resourceContinue: resourceContinue
        case .resourceRef: resourceRef
        case .resourceCollectionRef: resourceCollectionRef
        case .resourceStatistics: resourceStatistics
        case .resendFailedMessages: resendFailedMessages
        case .removeFailedMessages: removeFailedMessages
        case .statistics: statistics
        case .options: options
        case .cancel: cancel
        case .clearChannels: clearChannels
        case .setLimit: setLimit
        }
    }
}
