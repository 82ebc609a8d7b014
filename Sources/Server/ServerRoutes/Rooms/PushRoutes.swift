import ServerBase
import ServerChat
import ServerHTTP
import SyncJSON

/// Nothing is pushed anywhere: devices and settings are kept and told, so that clients' code around them works.
struct PushRoutes: Routes {
    let context: RouteContext

    private static let tokenNames = [
        "gcm": "gcm_reg_token", "apns": "apns_device_token", "apns_voip": "apns_device_token",
        "huawei": "huawei_device_token",
    ]

    private func tokenType(_ type: String) throws -> String {
        guard Self.tokenNames[type] != nil else {
            throw Refusal.invalid("token_type", "gcm, apns, apns_voip or huawei is expected")
        }
        return type
    }

    /// The user whose devices or settings the request is about.
    private func deviceUser(_ request: RoutedRequest) throws -> UserRow {
        try chat.activeUser(try caller(request, as: request["user"]).userID)
    }

    func devices(_ request: RoutedRequest) throws -> HTTPResponse {
        let user = try deviceUser(request)
        let type = try tokenType(request["type"])
        let tokens = JSON.strings(try chat.users.devices(of: user.id, type: type))
        // Both names are in use.
        return HTTPResponse(
            .object(["tokens": tokens, "token": tokens, "type": .string(type), "user": user.json]))
    }

    func addDevice(_ request: RoutedRequest) throws -> HTTPResponse {
        let user = try deviceUser(request)
        let type = try tokenType(request["type"])
        let payload = try request.payload()
        guard let token = try payload.string([Self.tokenNames[type] ?? "", "token"]), !token.isEmpty else {
            throw Refusal.missing(Self.tokenNames[type] ?? "token")
        }
        try chat.devices.register(type, token, of: user.id, isOnly: try payload.bool("is_unique") == true)
        return HTTPResponse(
            .object(["token": .string(token), "type": .string(type), "user": user.json]))
    }

    func removeDevice(_ request: RoutedRequest) throws -> HTTPResponse {
        let user = try deviceUser(request)
        let type = try tokenType(request["type"])
        let token = request["token"]
        try chat.devices.remove(type, token, of: user.id)
        return HTTPResponse(.object(["token": .string(token), "user": user.json]))
    }

    func removeAllDevices(_ request: RoutedRequest) throws -> HTTPResponse {
        let user = try deviceUser(request)
        return HTTPResponse(
            .object(["token": .strings(try chat.devices.removeAll(of: user.id)), "user": user.json]))
    }

    func pushTemplate(_ request: RoutedRequest) throws -> HTTPResponse {
        let user = try deviceUser(request)
        return HTTPResponse(.object(["name": .string(user.detail("push_template")?.string ?? "default")]))
    }

    func changePushTemplate(_ request: RoutedRequest) throws -> HTTPResponse {
        let user = try deviceUser(request)
        let name = try request.payload().required("name")
        try chat.preferences.setPushTemplate(name, of: user)
        return HTTPResponse(.object(["name": .string(name)]))
    }

    func noActionOfDevices(_ request: RoutedRequest) throws -> HTTPResponse {
        _ = try deviceUser(request)
        throw Refusal.noEndpoint()
    }

    // MARK: Settings of all channels

    func globalPushPreference(_ request: RoutedRequest) throws -> HTTPResponse {
        HTTPResponse(PushPreference(try deviceUser(request)).json)
    }

    func changeGlobalPushPreference(_ request: RoutedRequest) throws -> HTTPResponse {
        let user = try deviceUser(request)
        let preference = PushPreference(user)
        try preference.change(try request.payload())
        return HTTPResponse(try chat.preferences.setPushPreference(preference, of: user).json)
    }

    func resetGlobalPushPreference(_ request: RoutedRequest) throws -> HTTPResponse {
        HTTPResponse(try chat.preferences.setPushPreference(nil, of: try deviceUser(request)).json)
    }

    // MARK: Whose a device is

    /// The users a token belongs to, as a list.
    func deviceOwners(_ request: RoutedRequest) throws -> HTTPResponse {
        try administrator(request)
        let owner = try chat.users.deviceOwner(try tokenType(request["type"]), request["token"])
        return HTTPResponse(.array(owner.map { [.object(["user_id": .string($0)])] } ?? []))
    }

    func removeOwnedDevice(_ request: RoutedRequest) throws -> HTTPResponse {
        let response = try deviceOwners(request)
        try chat.devices.remove(request["type"], request["token"])
        return response
    }

    func noActionOfOwners(_ request: RoutedRequest) throws -> HTTPResponse {
        try administrator(request)
        _ = try tokenType(request["type"])
        throw Refusal.noEndpoint()
    }
}
