/// Where the bytes of a file are that was kept.
public enum StoredBytes {
    case memory([UInt8])
    case disk(path: String, count: Int64)

    public var count: Int64 {
        switch self {
        case .memory(let bytes): Int64(bytes.count)
        case .disk(_, let count): count
        }
    }
}
