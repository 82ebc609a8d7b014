/// The rules of one subject. What they all need of the chat is here, under its own name.
protocol ChatRules {
    var chat: Chat { get }
}

extension ChatRules {
    var storage: Storage { chat.storage }
    var options: ChatOptions { chat.options }
    var settings: ApplicationSettings { chat.settings }
    var hub: SocketHub { chat.hub }
    var now: Int64 { chat.now }

    func activeUser(_ id: String) throws -> UserRow { try chat.activeUser(id) }

    func change<T>(_ body: (inout [Broadcast]) throws -> T) throws -> T { try chat.change(body) }

    func tell(_ broadcast: Broadcast) { chat.tell(broadcast) }

    func finally(_ action: @escaping () -> Void) { chat.finally(action) }
}
