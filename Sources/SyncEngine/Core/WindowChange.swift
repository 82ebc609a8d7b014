/// What happened to a window, as a host applies it.
struct WindowChange: Equatable {
    var action: CollectionChange.Action
    var items: [CollectionChange.Item]

    init(_ action: CollectionChange.Action, _ items: [CollectionChange.Item]) {
        self.action = action
        self.items = items
    }
}
