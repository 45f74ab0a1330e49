import PatchbayManager
import PatchbayPlatform
import PatchbayRegistry

/// The variables of the environment that name proxies and authorities, as libcurl and OpenSSL read them.
package enum ProxyVariables {
    private static let plainNotes = notes(isSecure: false, SystemCall.variable)
    private static let secureNotes = notes(isSecure: true, SystemCall.variable)

    /// Whether a variable names the proxy of requests without TLS.
    static let isPlainNamed = naming(isSecure: false) != nil

    /// The parts of the environment that have no effect on requests with or without TLS, each as a clause.
    package static func notes(isSecure: Bool) -> [String] { isSecure ? secureNotes : plainNotes }

    /// The variable that names the proxy; nil if none does.
    static func naming(isSecure: Bool, _ value: (String) -> String? = SystemCall.variable) -> String? {
        let names = isSecure ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy"]
        return (names + ["all_proxy", "ALL_PROXY"]).first { value($0) != nil }
    }

    /// - Parameter value: the value of a variable; nil if it is empty.
    static func notes(isSecure: Bool, _ value: (String) -> String?) -> [String] {
        var notes: [String] = []
        if isSecure, let folders = value("SSL_CERT_DIR")?.split(separator: ":"),
            !folders.contains(where: { FileVersion(String($0))?.isFolder == true })
        {
            notes.append("SSL_CERT_DIR names no folder")
        }
        guard naming(isSecure: isSecure, value) != nil else {
            // Web servers set this variable from the field Proxy of a request.
            return isSecure || value("HTTP_PROXY") == nil
                ? notes : notes + ["HTTP_PROXY has no effect; use http_proxy, in lower case"]
        }
        guard let name = ["no_proxy", "NO_PROXY"].first(where: { value($0) != nil }), let list = value(name),
            list != "*"
        else { return notes }
        let unread = list.split { $0 == "," || $0 == " " || $0 == "\t" }.filter { !isRead($0) }
        guard !unread.isEmpty else { return notes }
        // A URL can have a password, and so can what follows a colon.
        let shown = QuotedList(
            unread.map { $0.wholeMatch(of: /[\w.*-]*(?::\d+)?|[\da-fA-F:.\[\]]+/) == nil ? "…" : String($0) })
        let known = "use domains, addresses, networks such as 10.0.0.0/8, or * alone"
        return notes + ["\(name) has parts that libcurl passes over: \(shown); \(known)"]
    }

    private static func isRead(_ entry: Substring) -> Bool {
        let parts = entry.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        let name = parts[0].hasPrefix(".") ? parts[0].dropFirst() : parts[0]
        let isIPv6 = name.contains(":")
        guard !name.contains(where: "[*;".contains), let host = CanonicalHost(isIPv6 ? "[\(name)]" : String(name))
        else {
            return false
        }
        guard host.isAddress else { return parts.count == 1 }
        // libcurl reads no other notation of an IPv4 address.
        guard isIPv6 || host.plainName == parts[0] else { return false }
        return parts.count == 1 || Int(parts[1]).map { (1...(isIPv6 ? 128 : 32)).contains($0) } ?? false
    }
}
