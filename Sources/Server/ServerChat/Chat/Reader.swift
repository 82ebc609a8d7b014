/// Somebody who may see what is in a channel; made by `AccessRules.reader`, which checks that.
public struct Reader {
    public let channel: ChannelRow
    /// `nil` for readers who are no members: the administration, and anybody in a public channel.
    public let membership: MembershipRow?

    /// The filter for what this reader may see of the channel.
    public func narrow(_ filter: MessageFilter) -> MessageFilter {
        var result = filter
        result.channelID = channel.id
        result.offset = membership?.offset ?? 0
        return result
    }
}
