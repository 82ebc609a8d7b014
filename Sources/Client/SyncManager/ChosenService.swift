import Glibc
import SyncJSON
import SyncMatrix
import SyncModel
import SyncSendbird

/// The service that a configuration names. Only this file, outside the services' modules, knows their types.
struct ChosenService {
    /// Reads a service's message object; `nil` when the document is not one.
    typealias MessageReader = @Sendable (JSON) -> MessageRecord?

    enum Name: String, CaseIterable { case sendbird, matrix }

    let service: any ChatService
    let readMessage: MessageReader

    init(_ configuration: Configuration) {
        switch configuration.service {
        case .sendbird:
            service = SendbirdService(
                appID: configuration.appID, userID: UserID(configuration.userID), apiHost: configuration.apiHost,
                wsHost: configuration.wsHost, libraryVersion: Version.text,
                appVersion: configuration.appVersion, systemVersion: ChosenService.systemVersion,
                isSessionExpiring: configuration.isSessionExpiring)
            readMessage = { SendbirdService.message($0) }
        case .matrix:
            service = MatrixService(userID: UserID(configuration.userID), homeserver: configuration.apiHost ?? "")
            // A host has no connection of its own to this service.
            readMessage = { _ in nil }
        }
    }

    /// The release of the kernel, as the system tells it.
    private static var systemVersion: String {
        var name = utsname()
        guard uname(&name) == 0 else { return "" }
        return withUnsafeBytes(of: name.release) { bytes in String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self) }
    }
}
