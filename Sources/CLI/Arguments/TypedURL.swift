import Patchbay

/// The URL as a person types it: `localhost:8080/x` and `example.com/x` get a scheme.
struct TypedURL: Equatable, Sendable {
    let text: String
    /// Whether the scheme was missing in the typed word.
    let isCompleted: Bool

    /// Without a scheme, loopback names and addresses get `http`, other names get `https`. `:8080/x` is `localhost`.
    /// - Parameter overSocket: whether the host is behind a Unix socket, where nobody listens in: `http`.
    init(_ word: String, overSocket: Bool = false) {
        let scheme = word.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
        guard !word[scheme.endIndex...].hasPrefix("://"), !word.isEmpty else {
            (text, isCompleted) = (word, false)
            return
        }
        let rest = word.hasPrefix(":") ? "localhost" + (word.hasPrefix(":/") ? String(word.dropFirst()) : word) : word
        (text, isCompleted) = ((overSocket || Self.isNear(rest) ? "http://" : "https://") + rest, true)
    }

    /// Whether a word that is no command is meant as a URL.
    static func isLikely(_ word: String) -> Bool { word == "localhost" || word.contains { ".:/".contains($0) } }

    private static func isNear(_ rest: String) -> Bool {
        let authority = rest.prefix { !"/?#".contains($0) }
        let place = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? authority
        if place.hasPrefix("[") { return true }
        let host = (place.split(separator: ":", omittingEmptySubsequences: false).first ?? place).lowercased()
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        return labels.last == "localhost" || labels.allSatisfy { UInt8($0) != nil } && labels.count == 4
    }
}
