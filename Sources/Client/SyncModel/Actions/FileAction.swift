/// Files of messages, received by the library or by the host.
public enum FileAction: String, CaseIterable, Sendable {
    case downloadFile = "download_file"
    case fileURL = "file_url"

    public var spec: ActionSpec {
        switch self {
        case .downloadFile: Specs.downloadFile
        case .fileURL: Specs.fileURL
        }
    }
}

private enum Specs {
    private static let url = ActionSpec.Parameter.required(
        "url", .name, "its address, as a message's `file` has it: https, or http where `api_host` is http")

    static let downloadFile = ActionSpec(
        [
            url,
            .required("path", .name, "where it is to be; the folder is there already"),
            .optional("overwrite", .flag, "replaces a file that has the name (default: refused)"),
            .optional("max_bytes", .integer(1...Int64.max), "a larger file is refused (TOO_LARGE)"),
        ],
        effect:
            "none; `download_progress` tells how far it is. Until it is complete the file is called "
            + "`PATH.HEX.part`; the next call for the same address and path goes on with it. The key of the login goes "
            + "only to the service's own hosts. `timeout_ms` is time without progress (default 30 s). `cancel` ends it "
            + "at once and removes what it received; a call that was still waiting to begin leaves what an earlier one "
            + "received",
        result: "`path`")

    static let fileURL = ActionSpec(
        [url], effect: "none",
        result: "`url`: the address with the key of the login, for hosts that load files by themselves; valid for as "
            + "long as the service says. Where the file is not at the service, the address as it is")
}
