/// Parts of a message that a collection may leave out of what it tells. Cached messages are complete, whatever is told.
public enum MessagePart: String, Sendable, CaseIterable {
    case reactions, threadInfo, metaArray, parentMessageInfo, pollDetails
}
