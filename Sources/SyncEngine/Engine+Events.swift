import SyncJSON
import SyncModel

extension Engine {
    /// Something the service told of its own accord.
    public func receive(_ event: ServiceEvent, now: EngineTime) {
        self.now = now
        guard !isClosed, connection.isOpen else { return }
        signOfLife()
        switch event {
        case .loggedIn(let info): loggedIn(info)
        case .loginFailed(let failure): loginFailed(failure)
        case .busy(let pause): busy(pause)
        case .sessionExpired: ask(.renewSession) { _ in }
        case .tokenRevoked: tokenRejected()
        case .pong: break
        // Answers to requests reach the engine by `receive(reply:for:)`; the driver keeps the book of socket requests.
        case .reply: break
        case .messageReceived(let url, let message): messageReceived(url, message)
        case .messageUpdated(let url, let message): messageUpdated(url, message)
        case .messageDeleted(let url, let id): messageDeleted(url, id)
        case .reaction(let url, let reaction):
            patchMessage(url, reaction.messageID, source: .eventReactionUpdated) { MessageEdit.apply(reaction, to: $0) }
        case .threadInfo(let url, let id, let json):
            patchMessage(url, id, source: .eventThreadInfoUpdated) { MessageEdit.set("thread_info", json, in: $0) }
        case .channel(let url, let event): channelEvent(url, event)
        }
        finishInput()
    }

    private func messageReceived(_ url: String, _ message: MessageRecord) {
        stoppedTyping(url, message.senderID)
        if !message.requestID.isEmpty { outboxSaw(message, channelURL: url) }
        if let timeline = timelines[url] { arrived(message, in: timeline, source: .eventMessageReceived) }
        channelGotMessage(url, message)
    }

    private func messageUpdated(_ url: String, _ message: MessageRecord) {
        if let timeline = timelines[url] { edited(message, in: timeline, source: .eventMessageUpdated) }
        lastMessageChanged(url, message.id) { _ in message.json }
    }

    private func messageDeleted(_ url: String, _ id: Int64) {
        if let timeline = timelines[url] { deleted([id], in: timeline, source: .eventMessageDeleted) }
        // Which message is the last one now, only the service knows.
        if let channel = cachedChannel(url), channel.lastMessage?.id == id {
            refreshChannel(url, source: .eventMessageDeleted)
        }
    }

    private func patchMessage(
        _ url: String, _ id: Int64, source: EventSource, _ edit: @escaping ([UInt8]) -> [UInt8]?
    ) {
        if let timeline = timelines[url] { patched(id, in: timeline, source: source, edit) }
        lastMessageChanged(url, id, edit)
    }

    private func lastMessageChanged(_ url: String, _ id: Int64, _ edit: ([UInt8]) -> [UInt8]?) {
        guard let channel = cachedChannel(url), channel.lastMessage?.id == id,
            let document = try? JSON.parse(channel.json), let last = document["last_message"],
            let edited = edit(last.serialized())
        else { return }
        patchChannel(channel, [ChannelPatch(key: "last_message", value: edited)], source: .eventMessageUpdated)
    }

    /// The end of every input that came from the service.
    func finishInput() { handle(.nothing, now: now) }
}
