import CSyncManager

/// The version, as the header says it.
enum Version {
    static let text = "\(SM_VERSION_MAJOR).\(SM_VERSION_MINOR).\(SM_VERSION_PATCH)"
    static let api = Int32(SM_VERSION_MAJOR) << 16 | Int32(SM_VERSION_MINOR)
    nonisolated(unsafe) static let cText = CText.copy(Array(text.utf8))
}
