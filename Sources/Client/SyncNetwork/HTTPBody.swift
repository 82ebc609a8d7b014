import Glibc

/// What has come of the body of an answer. One array would be copied over and over as it grows, and hold up to three
/// times its bytes meanwhile; what is large is kept in pages of the system's, which has them back at once, while the C
/// library would keep them for the next one who asks.
struct HTTPBody {
    private static let smallSize = 128 << 10

    private var small: [UInt8] = []
    private var pages: [Pages] = []
    private(set) var count = 0

    /// So many bytes are announced. That is believed of a small body; beyond, memory grows with what comes.
    mutating func announce(_ count: Int) {
        guard self.count == 0, count > 0 else { return }
        small.reserveCapacity(min(count, HTTPBody.smallSize))
    }

    /// `false` when the system has no memory for it.
    mutating func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var rest = bytes[...]
        if pages.isEmpty {
            let part = rest.prefix(HTTPBody.smallSize - small.count)
            small.append(contentsOf: part)
            rest = rest.dropFirst(part.count)
        }
        while !rest.isEmpty {
            if pages.last?.isFull ?? true {
                guard let next = Pages() else { return false }
                pages.append(next)
            }
            rest = rest.dropFirst(pages.last?.take(rest) ?? 0)
        }
        count = count &+ bytes.count
        return true
    }

    /// All of it, and nothing is held any more.
    mutating func take() -> [UInt8] {
        defer { self = HTTPBody() }
        guard !pages.isEmpty else { return small }
        var whole = [UInt8]()
        whole.reserveCapacity(count)
        whole += small
        pages.reverse()
        // Given back one by one, so that no more than the body is held.
        while let next = pages.popLast() { whole.append(contentsOf: next.bytes) }
        return whole
    }

    /// A megabyte of the system's.
    private final class Pages {
        private static let size = 1 << 20

        private let base: UnsafeMutableRawPointer
        private var count = 0

        init?() {
            let map = mmap(nil, Pages.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
            guard let map, map != MAP_FAILED else { return nil }
            base = map
        }

        deinit { munmap(base, Pages.size) }

        var isFull: Bool { count == Pages.size }

        var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: count) }

        /// Takes what there is room for; gives how much that is.
        func take(_ bytes: Slice<UnsafeRawBufferPointer>) -> Int {
            let part = bytes.prefix(Pages.size - count)
            UnsafeMutableRawBufferPointer(start: base + count, count: part.count).copyBytes(from: part)
            count += part.count
            return part.count
        }
    }
}
