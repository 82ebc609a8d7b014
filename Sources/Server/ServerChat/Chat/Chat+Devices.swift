import ServerBase
import SyncBytes
import SyncJSON

// Nothing is pushed anywhere: devices and settings are kept and told, so that clients' code around them works.
extension Chat {
    /// Registers a user's device. With `isOnly`, it takes the place of the user's other devices of its type.
    public func registerDevice(_ type: String, _ token: String, of userID: String, isOnly: Bool) throws {
        if isOnly {
            for device in try storage.devices.list(of: userID, type: type) {
                try storage.devices.remove(type, device.token)
            }
        }
        try storage.devices.register(type, token, userID)
    }

    /// Takes a device from whoever has it.
    public func removeDevice(_ type: String, _ token: String) throws { try storage.devices.remove(type, token) }

    /// Takes a device from a user who has it.
    public func removeDevice(_ type: String, _ token: String, of userID: String) throws {
        guard try storage.devices.owner(type, token).isByteEqual(to: userID) else {
            throw Refusal(400_201, "\"Token\" not found.")
        }
        try storage.devices.remove(type, token)
    }

    /// Takes all devices from a user; returns their tokens.
    public func removeDevices(of userID: String) throws -> [String] {
        let all = try storage.devices.list(of: userID)
        for device in all { try storage.devices.remove(device.type, device.token) }
        return all.map(\.token)
    }

    public func setPushTemplate(_ name: String, of user: UserRow) throws {
        guard name == "default" || name == "alternative" else {
            throw Refusal.invalid("name", "default or alternative is expected")
        }
        var changed = user
        changed.setDetail("push_template", .string(name))
        try storage.users.save(changed)
    }

    /// Sets a user's preferences for pushes of all channels; `nil` goes back to those of users who never set any.
    public func setPushPreference(_ preference: PushPreference?, of user: UserRow) throws -> PushPreference {
        var changed = user
        changed.setDetail("push_preference", preference?.json)
        try storage.users.save(changed)
        return PushPreference(changed)
    }
}
