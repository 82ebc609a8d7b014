import SyncBytes
import SyncModel

/// Decides which files are requested, and which servers get the key that gives access to them.
///
/// The key is a part of the address, so every server that is asked sees it. So it is added for servers of the service
/// that has given it, and for no others. When a server redirects, no key is added to the new address.
struct FileAccess {
    /// Scheme and host of the service's REST interface.
    let apiHost: String
    /// Given at login; empty without one.
    let key: String

    /// The address with the key when its server is the service's; else the address unchanged.
    func authorized(_ url: String) -> String {
        guard !key.isEmpty, isTrusted(url) else { return url }
        let bytes = url.utf8
        let end = bytes.firstIndex(of: UInt8(ascii: "#")) ?? bytes.endIndex
        let joint = bytes[..<end].contains(UInt8(ascii: "?")) ? "&" : "?"
        return String(url[..<end]) + joint + "auth=" + PercentEncoding.escape(key) + String(url[end...])
    }

    /// Why a file is not asked for; `nil` when it is.
    func refusal(of url: String) -> ServiceFailure? {
        guard let place = Place(url), place.isSecure || !isSecure else {
            let scheme = isSecure ? "https" : "https or http"
            return ServiceFailure(
                kind: .refused, code: FailureCodes.invalidParameter,
                message: "url: an address of \(scheme) is expected")
        }
        return nil
    }

    private var isSecure: Bool { Place(apiHost)?.isSecure ?? true }

    private func isTrusted(_ url: String) -> Bool {
        guard let place = Place(url), let service = Place(apiHost) else { return false }
        if place == service { return true }
        // The vendor keeps files under other names of its own.
        let own = Array(".sendbird.com".utf8)
        return place.isSecure && service.isSecure && service.host.suffix(own.count).elementsEqual(own)
            && place.host.suffix(own.count).elementsEqual(own)
    }

    /// The server of an address; `nil` for an address that could be read in two ways.
    private struct Place: Equatable {
        let isSecure: Bool
        /// In lower case, with the port if there is one.
        let host: [UInt8]

        init?(_ url: String) {
            let lower = Array(url.utf8).map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
            guard lower.allSatisfy({ $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "\\") }) else { return nil }
            let schemes: [(text: StaticString, isSecure: Bool)] = [("https://", true), ("http://", false)]
            let known = schemes.first { scheme in
                scheme.text.withUTF8Buffer { lower.starts(with: $0) }
            }
            guard let known else { return nil }
            let rest = lower.dropFirst(known.text.utf8CodeUnitCount)
            let authority = rest.prefix { !"/?#".utf8.contains($0) }
            guard !authority.isEmpty, !authority.contains(UInt8(ascii: "@")) else { return nil }
            isSecure = known.isSecure
            host = Array(authority)
        }
    }
}
