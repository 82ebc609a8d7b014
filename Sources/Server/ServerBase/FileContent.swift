/// The bytes of a file: in memory, where files are kept in the database, or on the disk, where they have a folder.
public enum FileContent {
    case memory([UInt8])
    case draft(FileDraft)

    public var count: Int64 {
        switch self {
        case .memory(let bytes): Int64(bytes.count)
        case .draft(let draft): draft.count
        }
    }
}
