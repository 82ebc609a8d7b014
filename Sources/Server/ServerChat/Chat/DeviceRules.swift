import ServerBase
import SyncBytes

/// Devices of users. Nothing is pushed anywhere: they are kept and told, so that clients' code around them works.
public struct DeviceRules: ChatRules {
    let chat: Chat

    /// Registers a user's device. With `isOnly`, it takes the place of the user's other devices of its type.
    public func register(_ type: String, _ token: String, of userID: String, isOnly: Bool) throws {
        if isOnly {
            for device in try storage.devices.list(of: userID, type: type) {
                try storage.devices.remove(type, device.token)
            }
        }
        try storage.devices.register(type, token, userID)
    }

    /// Takes a device from whoever has it.
    public func remove(_ type: String, _ token: String) throws { try storage.devices.remove(type, token) }

    /// Takes a device from a user who has it.
    public func remove(_ type: String, _ token: String, of userID: String) throws {
        guard try storage.devices.owner(type, token).isByteEqual(to: userID) else {
            throw Refusal(400_201, "\"Token\" not found.")
        }
        try storage.devices.remove(type, token)
    }

    /// Takes all devices from a user; returns their tokens.
    public func removeAll(of userID: String) throws -> [String] {
        let all = try storage.devices.list(of: userID)
        for device in all { try storage.devices.remove(device.type, device.token) }
        return all.map(\.token)
    }
}

extension Chat {
    public var devices: DeviceRules { DeviceRules(chat: self) }
}
