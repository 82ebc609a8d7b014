import SyncModel

extension Action {
    /// How the action goes over the wire to this service.
    var codec: ActionCodec {
        switch self {
        case .message(let action): action.codec
        case .poll(let action): action.codec
        case .scheduled(let action): action.codec
        case .reading(let action): action.codec
        case .channel(let action): action.codec
        case .member(let action): action.codec
        case .property(let action): action.codec
        case .user(let action): action.codec
        case .file(let action): action.codec
        case .library(let action): action.codec
        case .database, .resource: .unsupported
        }
    }
}
