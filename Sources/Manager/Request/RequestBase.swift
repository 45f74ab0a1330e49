import PatchbayPlatform
import PatchbayRegistry

/// What relative targets are resolved against, taken apart once for all calls of a manager.
final class RequestBase: Sendable {
    /// A base below which a plain path needs no more than to be put behind it.
    private struct Plain: Sendable {
        /// `http://host`, with the port where there is one.
        let origin: String
        /// The origin and the path, to the last slash.
        let folder: String
        let host: CanonicalHost
    }

    private let url: URL?
    private let plain: Plain?
    /// What descriptions of a request do not show of its path.
    let maskedPathSegments: Set<String>

    init(_ url: URL?, maskedPathSegments: Set<String> = []) {
        self.url = url
        self.maskedPathSegments = maskedPathSegments
        plain = url.flatMap { Self.plain($0) }
    }

    /// The target, by Foundation's resolution where its outcome is not plain to see.
    func target(
        _ target: String, query: QueryItems, encodedQuery: String?
    ) throws(Refusal) -> RequestTarget {
        if let plain, query.isEmpty, encodedQuery == nil, Self.isPlain(target),
            let url = URL(string: (target.utf8.first == UInt8(ascii: "/") ? plain.origin : plain.folder) + target)
        {
            return RequestTarget(url: url, host: plain.host)
        }
        return try RequestTarget(target, query: query, encodedQuery: encodedQuery, base: url)
    }

    /// Read off two targets that were resolved the long way; nil where the base has credentials or cannot be sent to.
    private static func plain(_ url: URL) -> Plain? {
        guard let inFolder = try? RequestTarget("x", base: url), let atTop = try? RequestTarget("/x", base: url),
            inFolder.authorization == nil
        else { return nil }
        return Plain(
            origin: String(atTop.url.absoluteString.dropLast(2)),
            folder: String(inFolder.url.absoluteString.dropLast()), host: inFolder.host)
    }

    /// Whether the text is a path of letters, digits and `-._~/`, in which no segment is empty or begins with a dot, and perhaps
    /// a query of these but for the slash, and of `=&,+`. Nothing in such a text is encoded, removed, or taken for a scheme or a
    /// host (RFC 3986, section 5.2).
    private static func isPlain(_ target: String) -> Bool {
        var before: UInt8?
        var isQuery = false
        for byte in target.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "~"):
                break
            case UInt8(ascii: ".") where isQuery || (before != nil && before != UInt8(ascii: "/")): break
            case UInt8(ascii: "/") where !isQuery && before != UInt8(ascii: "/"): break
            case UInt8(ascii: "?") where !isQuery && before != nil: isQuery = true
            case _ where isQuery && "=&,+".utf8.contains(byte): break
            default: return false
            }
            before = byte
        }
        return before != nil
    }
}
