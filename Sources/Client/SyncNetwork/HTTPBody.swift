import Glibc

/// The part of an answer's body that has come. One array would be copied again and again as it grows, and take up to
/// three times its bytes meanwhile. So a large body is kept in pages of the system, which are given back at once, while
/// the C library would keep freed memory.
struct HTTPBody {
    private static let smallSize = 128 << 10

    private var small: [UInt8] = []
    private var pages: [Pages] = []
    private(set) var count = 0

    /// The server announces so many bytes. For a small body the memory is reserved; for a larger one it grows with the
    /// bytes that come.
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

    /// Gives the whole body, and frees its pages.
    mutating func take() -> [UInt8] {
        defer { self = HTTPBody() }
        guard !pages.isEmpty else { return small }
        var whole = [UInt8]()
        whole.reserveCapacity(count)
        whole += small
        pages.reverse()
        // Pages are freed one by one, so that no more memory than the body is used.
        while let next = pages.popLast() { whole.append(contentsOf: next.bytes) }
        return whole
    }

    /// A megabyte of memory from the system.
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

        /// Takes as many bytes as fit, and returns how many.
        func take(_ bytes: Slice<UnsafeRawBufferPointer>) -> Int {
            let part = bytes.prefix(Pages.size - count)
            UnsafeMutableRawBufferPointer(start: base + count, count: part.count).copyBytes(from: part)
            count += part.count
            return part.count
        }
    }
}
