import SyncModel

@testable import SyncEngine

/// Kinds of requests, for `asked` and `answer`, and the answer that most sessions begin with.
extension EngineTestCase {
    func isSend(_ request: ServiceRequest) -> Bool { if case .sendMessage = request { true } else { false } }

    func isSendByRequest(_ request: ServiceRequest) -> Bool {
        if case .sendMessageByRequest = request { true } else { false }
    }
    func isChannelLog(_ request: ServiceRequest) -> Bool { if case .channelChanges = request { true } else { false } }
    func isChannelListing(_ request: ServiceRequest) -> Bool { if case .listChannels = request { true } else { false } }
    func isGetChannel(_ request: ServiceRequest) -> Bool { if case .getChannel = request { true } else { false } }
    func isGetMessage(_ request: ServiceRequest) -> Bool { if case .getMessage = request { true } else { false } }
    func isMessageLog(_ request: ServiceRequest) -> Bool { if case .messageChanges = request { true } else { false } }
    func isGap(_ request: ServiceRequest) -> Bool { if case .messageGap = request { true } else { false } }
    func isOwnMessages(_ request: ServiceRequest) -> Bool { if case .ownMessages = request { true } else { false } }
    func isAround(_ request: ServiceRequest) -> Bool { if case .messagesAround = request { true } else { false } }
    func isPage(_ direction: PageDirection) -> (ServiceRequest) -> Bool {
        { if case .messages(_, _, direction, _, _, _) = $0 { true } else { false } }
    }

    /// Answers the oldest change log of messages that is asked for.
    func answerMessageLog(
        updated: [MessageRecord] = [], deleted: [MessageID] = [], hasMore: Bool = false,
        file: StaticString = #filePath, line: UInt = #line
    ) {
        let changes = MessageChanges(updated: updated, deletedIDs: deleted, hasMore: hasMore, next: "log2")
        answer(.messageChanges(changes), file: file, line: line, to: isMessageLog)
    }
}
