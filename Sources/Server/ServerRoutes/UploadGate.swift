import ServerBase
import ServerChat
import ServerHTTP

/// Decides where the body of a request goes that may bring files, when only the headers have come.
public struct UploadGate {
    private let context: RouteContext
    private let files: FileRules
    /// In bytes.
    private let limit: Int64

    public init(_ router: Router, _ chat: Chat) {
        context = router.context
        files = chat.files
        limit = chat.options.fileLimit << 20
    }

    /// Where the body of a request goes: files go to their folder when the sender is known.
    public func intake(_ request: HTTPRequest) -> BodyIntake {
        guard request.isMultipart, let folder = files.folder else { return .memory }
        do {
            guard let routed = try? RouteTable.find(request),
                (try? FileRoutes(context: context).caller(routed)) != nil
            else { return .memory }
            // How much of the body is fields is not known yet, so this is the least; the bytes are counted when they
            // come.
            try files.checkRoom(max(0, request.contentLength - Int64(HTTPRequest.bodyLimit)))
            return .folder(folder, limit: limit)
        } catch let error as Refusal {
            return .refused(HTTPResponse(error))
        } catch {
            Log.failure("the room for files is not known", error)
            return .memory
        }
    }
}
