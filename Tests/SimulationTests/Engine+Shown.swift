import SyncModel

@testable import SyncEngine

extension Engine {
    /// Every message collection of the host, with its channel as the server's code names it.
    var shownMessages: [(channelURL: String, window: MessageWindow)] {
        shownMessageWindows.map { ($0.channelURL.text, $0.window) }
    }
}
