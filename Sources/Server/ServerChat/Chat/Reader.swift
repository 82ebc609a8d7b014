/// Somebody who may see what is in a channel, as `Chat.reader` has found out.
public struct Reader {
    public let channel: ChannelRow
    /// `nil` for who is no member: the administration, and anybody in a public channel.
    public let membership: MembershipRow?

    /// The filter for what this reader may see of the channel.
    public func narrow(_ filter: MessageFilter) -> MessageFilter {
        var result = filter
        result.channelID = channel.id
        result.offset = membership?.offset ?? 0
        return result
    }
}

extension Chat {
    /// The caller as a reader of a channel; refused when it may not see what is in there.
    public func reader(_ caller: Caller, _ channel: ChannelRow) throws -> Reader {
        Reader(channel: channel, membership: try checkReading(caller, channel))
    }
}
