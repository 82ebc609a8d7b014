/// The file of an exchange that its thread has opened.
enum OpenedFile {
    case sent(FileReader, HTTPForm)
    /// With the part that an earlier exchange has left.
    case received(FileWriter, HTTPTarget, ReceivedPart?)

    var work: any FileWork {
        switch self {
        case .sent(let reader, _): reader
        case .received(let writer, _, _): writer
        }
    }
}

/// A file that is being opened, with the exchange that waits for it.
struct OpeningFile {
    let id: UInt64
    let request: HTTPRequest
    let intake: Intake
    let receiver: HTTPReceiver
    let lane: RequestLanes.Lane?
    private let reader: FileReader?
    private let writer: FileWriter?

    /// `wake` is called on another thread whenever there is something to go on with.
    init(
        id: UInt64, _ request: HTTPRequest, _ file: HTTPFile, _ intake: Intake, _ receiver: HTTPReceiver,
        in lane: RequestLanes.Lane?, wake: @escaping @Sendable () -> Void
    ) {
        self.id = id
        self.request = request
        self.intake = intake
        self.receiver = receiver
        self.lane = lane
        switch file {
        case .sent(let form): (reader, writer) = (FileReader(form, wake: wake), nil)
        case .received(let target): (reader, writer) = (nil, FileWriter(target, wake: wake))
        }
    }

    private var work: (any FileWork)? { reader ?? writer }

    func start() -> Bool { work?.start() ?? false }

    func end(discarding: Bool) { work?.end(discarding: discarding) }

    /// The file once it is open; `nil` while it is not. Throws the reason when it cannot be opened.
    func opened() throws(NetworkFailure) -> OpenedFile? {
        switch (work?.outcome, request.file) {
        case (.ready(let part), .received(let target)?):
            return writer.map { .received($0, target, part) }
        case (.ready, .sent(let form)?): return reader.map { .sent($0, form) }
        case (.failed(let failure), _): throw failure
        default: return nil
        }
    }
}
