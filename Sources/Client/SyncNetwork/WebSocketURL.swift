/// A WebSocket URL taken apart. Path and query stay byte for byte as they are.
struct WebSocketURL: Equatable {
    /// The same server under the HTTP scheme, for libcurl, which only connects.
    let connectURL: String
    /// The value of `Host`.
    let host: String
    /// The request's target: path and query.
    let target: String

    /// `nil` if `url` is no `ws` or `wss` URL with a host; user and password are not allowed.
    init?(_ url: String) {
        let bytes = Array(url.utf8)
        let scheme: (prefix: String, http: String)
        if bytes.starts(with: "ws://".utf8) {
            scheme = ("ws://", "http://")
        } else if bytes.starts(with: "wss://".utf8) {
            scheme = ("wss://", "https://")
        } else {
            return nil
        }
        let whole = bytes.dropFirst(scheme.prefix.utf8.count)
        let rest = whole.prefix { $0 != UInt8(ascii: "#") }
        let authority = rest.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
        guard !authority.isEmpty, authority.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "@") }) else {
            return nil
        }
        host = String(decoding: authority, as: UTF8.self)
        connectURL = scheme.http + host + "/"
        let tail = String(decoding: rest[authority.endIndex...], as: UTF8.self)
        target = tail.utf8.first == UInt8(ascii: "/") ? tail : "/" + tail
    }
}
