import SyncJSON

/// Who may do what in a room.
struct RoomRanks {
    static let levels = "m.room.power_levels"
    /// That of moderators, unless a room says otherwise.
    static let operatorLevel: Int64 = 50

    private let levels: JSON
    private let creators: Set<String>

    /// `levels`: the content of that event; `creation`: the event with which the room began.
    init(levels: JSON, creation: JSON) {
        self.levels = levels
        creators = RoomRanks.creators(creation)
    }

    /// Those who made the room stand above all levels, from version 12 of rooms on.
    static func creators(_ creation: JSON) -> Set<String> {
        let version = creation["content"]?["room_version"]?.string ?? "1"
        if let number = Int(version), number < 12 { return [] }
        let others = (creation["content"]?["additional_creators"]?.array ?? []).compactMap(\.string)
        return Set(others + [creation["sender"]?.string ?? ""])
    }

    func isOperator(_ id: String) -> Bool {
        let level = levels["users"]?[id]?.int ?? levels["users_default"]?.int ?? 0
        return level >= RoomRanks.operatorLevel || creators.contains(id)
    }
}
