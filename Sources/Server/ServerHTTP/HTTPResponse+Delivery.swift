import CLinux
import CMicrohttpd
import Glibc

extension HTTPResponse {
    /// Makes libmicrohttpd's form of the answer, which the caller has to destroy; `nil` breaks the connection.
    func made() -> OpaquePointer? {
        guard let made = delivery == .half ? half() : delivery == .whole ? whole() : nil else { return nil }
        for (name, value) in allHeaders { MHD_add_response_header(made, name, value) }
        return made
    }

    private func whole() -> OpaquePointer? {
        guard let file = filePart else {
            return body.withUnsafeBytes { raw in
                MHD_create_response_from_buffer(
                    raw.count, UnsafeMutableRawPointer(mutating: raw.baseAddress), .RESPMEM_MUST_COPY)
            }
        }
        let descriptor = shim_open(file.path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW, 0)
        guard descriptor >= 0 else { return nil }
        // From here on the descriptor belongs to the answer.
        let made = MHD_create_response_from_fd_at_offset64(
            UInt64(file.count), descriptor, UInt64(file.range.lowerBound))
        if made == nil { close(descriptor) }
        return made
    }

    private func half() -> OpaquePointer? {
        let body = HalfBody(self)
        let held = Unmanaged.passRetained(body)
        let made = MHD_create_response_from_callback(
            UInt64(body.count), 16 << 10,
            { context, position, buffer, room in
                guard let context, let buffer else { return -2 }
                return Unmanaged<HalfBody>.fromOpaque(context).takeUnretainedValue().read(position, buffer, room)
            }, held.toOpaque(),
            { context in
                if let context { Unmanaged<HalfBody>.fromOpaque(context).release() }
            })
        if made == nil { held.release() }
        return made
    }
}
