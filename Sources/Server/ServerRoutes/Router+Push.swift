import ServerBase
import ServerChat
import ServerHTTP
import SyncJSON

// Nothing is pushed anywhere: devices and settings are kept and told, so that clients' code around them works.
extension Router {
    private static let tokenNames = [
        "gcm": "gcm_reg_token", "apns": "apns_device_token", "apns_voip": "apns_device_token",
        "huawei": "huawei_device_token",
    ]

    private func tokenType(_ type: String) throws -> String {
        guard Router.tokenNames[type] != nil else {
            throw Refusal.invalid("token_type", "gcm, apns, apns_voip or huawei is expected")
        }
        return type
    }

    /// users/{id}/push/…
    func devices(_ request: HTTPRequest, _ id: String, _ rest: [String]) throws -> HTTPResponse {
        let caller = try caller(request, as: id)
        var user = try chat.activeUser(caller.userID)
        switch (request.method, rest.count) {
        case ("DELETE", 0):
            let all = try storage.devices(of: user.id)
            for device in all { try storage.removeDevice(device.type, device.token) }
            return HTTPResponse(.object(["token": .strings(all.map(\.token)), "user": user.json]))
        case ("GET", 1) where rest[0] == "template":
            return HTTPResponse(.object(["name": .string(user.detail("push_template")?.string ?? "default")]))
        case ("PUT", 1) where rest[0] == "template":
            let name = try request.payload().required("name")
            guard name == "default" || name == "alternative" else {
                throw Refusal.invalid("name", "default or alternative is expected")
            }
            user.setDetail("push_template", .string(name))
            try storage.save(user)
            return HTTPResponse(.object(["name": .string(name)]))
        case ("GET", 1):
            let type = try tokenType(rest[0])
            let tokens = JSON.strings(try storage.devices(of: user.id, type: type).map(\.token))
            // Both names are in use.
            return HTTPResponse(
                .object(["tokens": tokens, "token": tokens, "type": .string(type), "user": user.json]))
        case ("POST", 1):
            let type = try tokenType(rest[0])
            let payload = try request.payload()
            guard let token = try payload.string([Router.tokenNames[type] ?? "", "token"]), !token.isEmpty else {
                throw Refusal.missing(Router.tokenNames[type] ?? "token")
            }
            if try payload.bool("is_unique") == true {
                for device in try storage.devices(of: user.id, type: type) {
                    try storage.removeDevice(type, device.token)
                }
            }
            try storage.registerDevice(type, token, user.id)
            return HTTPResponse(
                .object(["token": .string(token), "type": .string(type), "user": user.json]))
        case ("DELETE", 2):
            let type = try tokenType(rest[0])
            guard try storage.deviceOwner(type, rest[1]) == user.id else {
                throw Refusal(400_201, "\"Token\" not found.")
            }
            try storage.removeDevice(type, rest[1])
            return HTTPResponse(.object(["token": .string(rest[1]), "user": user.json]))
        default: throw Refusal.noEndpoint()
        }
    }

    /// push/device_tokens/{type}/{token}: the users a token belongs to, as a list.
    func deviceOwners(_ request: HTTPRequest, _ rest: [String]) throws -> HTTPResponse {
        try administrator(request)
        guard rest.count == 3, rest[0] == "device_tokens" else { throw Refusal.noEndpoint() }
        let type = try tokenType(rest[1])
        let owners = try storage.deviceOwner(type, rest[2]).map { JSON.object(["user_id": .string($0)]) }
        switch request.method {
        case "GET": break
        case "DELETE": try storage.removeDevice(type, rest[2])
        default: throw Refusal.noEndpoint()
        }
        return HTTPResponse(.array(owners.map { [$0] } ?? []))
    }

    /// users/{id}/push_preference
    func globalPushPreference(_ request: HTTPRequest, _ id: String) throws -> HTTPResponse {
        let caller = try caller(request, as: id)
        var user = try chat.activeUser(caller.userID)
        switch request.method {
        case "GET": break
        case "PUT":
            let preference = PushPreference(user)
            try preference.change(try request.payload())
            user.setDetail("push_preference", preference.json)
            try storage.save(user)
        case "DELETE":
            user.setDetail("push_preference", nil)
            try storage.save(user)
        default: throw Refusal.noEndpoint()
        }
        return HTTPResponse(PushPreference(user).json)
    }
}
