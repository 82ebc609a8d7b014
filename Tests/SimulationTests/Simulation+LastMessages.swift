import SyncJSON
import SyncModel
import SyncSendbird

@testable import SyncEngine

extension Simulation {
    /// A message that the socket brings, or that the service moved behind all others, is its channel's last one at
    /// once, or the channel is going to be asked for. Not so somebody else's silent message, which only means to be the
    /// last when it says so, and replies, of which the application's policy decides.
    func checkLastMessage(_ frame: [UInt8]) throws {
        let isNew = frame.starts(with: "MESG".utf8)
        guard isNew || frame.starts(with: "MEDI".utf8), let body = try? JSON.parse(Array(frame.dropFirst(4))),
            body["error"]?.bool != true, let url = body["channel_url"]?.string, let id = body["message_id"]?.int,
            let createdAt = body["created_at"]?.int, body["parent_message_id"]?.int ?? 0 == 0,
            isNew || knowledge.moved[String(id)] != nil, let channel = device.cachedChannel(url),
            createdAt >= channel.messageOffset
        else { return }
        let isOwn = body["user"]?["user_id"]?.string == SimulatedService.me
        if body["silent"]?.bool == true, !isOwn, body["force_update_last_message"]?.bool != true { return }
        let position = MessagePosition(order: createdAt, tie: id)
        if let last = channel.lastMessage?.position, position <= last { return }
        guard !engine.isPlanned(channel: ChannelURL(url)) else { return }
        throw Violation(description: "\(id) came to \(url) and is not its last message: \(channel.json.text)")
    }
}

extension [UInt8] {
    fileprivate var text: String { String(decoding: self, as: UTF8.self) }
}
