import ServerBase
import ServerChat
import SyncBytes
import SyncJSON

/// Imports a conversation: lines {"ts": ms, "sender": name, "text": text}, in the order of the file.
struct Importer {
    let chat: Chat
    let storage: Storage

    init(_ chat: Chat, _ storage: Storage) {
        self.chat = chat
        self.storage = storage
    }

    /// Imports a file into a channel of its own, which these users and all senders belong to. A file that was imported
    /// into this database before is left alone.
    func importFile(_ path: String, readers: [String]) throws -> Seeder.SeededChannel {
        let name = Importer.name(path)
        let url = "import-\(name)"
        if let known = try storage.channels.channel(url) {
            return .init(url: url, name: name, messageCount: known.countable)
        }
        guard let lines = LineReader(path: path) else { throw SetupError("cannot open \(path)") }
        return try storage.transaction {
            var first: Int64?
            var senders: TextMap<UserRow> = [:]
            var channel: ChannelRow?
            var writer: BulkWriter?
            var number = 0
            while let line = try lines.next() {
                number += 1
                if !line.contains(where: { $0 > 0x20 }) { continue }
                guard let (time, sender, text) = Importer.read(line) else {
                    throw SetupError("\(path):\(number): not a line {ts, sender, text}")
                }
                if first == nil {
                    first = time
                    var made = ChannelRow(url: url, createdAt: time)
                    made.name = name
                    made.createdBy = sender
                    let stored = try storage.channels.insert(made)
                    channel = stored
                    writer = BulkWriter(storage, stored)
                }
                let user = try senders[sender] ?? register(sender, at: time)
                senders[sender] = user
                try writer?.write(text, by: user, at: time)
            }
            guard var channel, let writer, let first else {
                throw SetupError("\(path) holds no messages")
            }
            try fill(&channel, with: TextSet(senders.keys).union(readers), at: first)
            try writer.finish()
            chat.clock.resume(at: try storage.lastTime())
            return .init(url: url, name: name, messageCount: writer.count)
        }
    }

    private func register(_ sender: String, at time: Int64) throws -> UserRow {
        let user = try storage.users.user(sender) ?? UserRow(id: sender, nickname: sender, createdAt: time)
        try storage.users.save(user)
        return user
    }

    /// Makes users members of the channel, since its first message.
    private func fill(_ channel: inout ChannelRow, with members: TextSet, at first: Int64) throws {
        // A channel with many members is a super channel: they are listed by pages, not with every channel.
        if members.count > 100 { channel.flags.insert(.isSuper) }
        try storage.channels.update(channel)
        for id in members.sorted() {
            var member = MembershipRow(channelID: channel.id, userID: id, state: .joined)
            member.joinedAt = first
            try storage.members.save(member, at: first)
        }
        _ = try storage.members.recount(channel.id)
    }

    /// The file's name without folders and endings.
    static func name(_ path: String) -> String {
        let file = path.split(separator: "/").last.map(String.init) ?? path
        return file.split(separator: ".").first.map(String.init) ?? file
    }

    private static func read(_ line: [UInt8]) -> (Int64, String, String)? {
        line.withUnsafeBytes { raw in
            guard let slice = try? JSONSlice.checked(raw), slice.isObject, let time = slice["ts"]?.int,
                let sender = slice["sender"]?.string, !sender.isEmpty, let text = slice["text"]?.string,
                // Up to the year 9999, since the clock never runs behind a time that is stored.
                (0...253_402_300_799_999).contains(time)
            else { return nil }
            return (time, sender, text)
        }
    }
}
