import PatchbayPlatform
import PatchbayRegistry

/// The name of a refused target in an error's sentence: the URL of a request, its base URL, or the location of a
/// redirect.
struct TargetSubject: CustomStringConvertible {
    private enum Noun: String {
        case url = "the URL"
        case baseURL = "the base URL"
        case location = "its location"
    }

    private let target: String
    private let base: URL?
    private let isLocation: Bool
    private let masking: Set<String>

    init(_ target: String, base: URL?, _ masking: Set<String>) {
        (self.target, self.base, self.masking) = (target, base, masking)
        isLocation = false
    }

    init(location: String, _ masking: Set<String>) {
        (target, base, self.masking) = (location, nil, masking)
        isLocation = true
    }

    /// `the URL "http://h.test/a"`
    var description: String { "\(noun.rawValue) \(Redaction.quoted(text, named: masking))" }

    /// Computed only for an error's sentence. A target without a scheme and a host takes both from the base, but a text
    /// that begins with a colon is no reference (RFC 3986, section 4.2).
    private var noun: Noun {
        if isLocation { return .location }
        guard base != nil, !target.hasPrefix("//"), !target.hasPrefix(":") else { return .url }
        return target.isEmpty || URL(string: target).map { $0.scheme == nil } ?? false ? .baseURL : .url
    }

    private var text: String { noun == .baseURL ? base?.absoluteString ?? "" : target }
    private var shown: String { Redaction.shown(text, named: masking) }

    // MARK: Refusals

    /// The refusal of a target that Foundation can't parse. The location of a redirect is not shown then, because any
    /// part of it can be a credential.
    var unreadable: Refusal {
        guard !isLocation else { return Refusal("its location cannot be parsed") }
        guard noun == .url, looksLikeHost || text.isEmpty else { return Refusal("\(self) cannot be parsed") }
        return lacksScheme
    }

    /// The refusal of a target whose scheme is missing or is not http or https.
    func refused(scheme: String?) -> Refusal {
        let isNone = scheme.map { Redaction.scheme($0) == nil && looksLikeHost } ?? true
        guard noun == .location || !isNone else { return lacksScheme }
        let named = scheme.flatMap { Redaction.scheme($0) }.map { "\($0), " } ?? ""
        return Refusal("the scheme of \(self) is \(named)not http or https")
    }

    func refused(_ fault: HostFault) -> Refusal {
        let why =
            switch fault.reason {
            case .unmapped: "which is not mapped here: write it in its xn-- form"
            case .misplaced: "which may not stand there (UTS 46)"
            case .forbidden: "which no host has"
            case .direction: "which may not stand there in a name from right to left (RFC 5893)"
            }
        return Refusal("the host of \(self) has \(fault.number), \(why)")
    }

    /// The text with a host beyond ASCII in its canonical form. Runs before Foundation reads the text: Foundation takes
    /// the escapes of such a host for letters, and afterwards a mapped `％` cannot be told from a percent sign.
    /// - Throws: `Refusal` if IDNA refuses the host.
    func mapped(_ text: String) throws(Refusal) -> String {
        guard !text.utf8.allSatisfy({ $0 < 0x80 }) else { return text }
        if let host = HostName.written(in: text)?.host, let fault = HostName.fault(in: host) { throw refused(fault) }
        return HostName.mapping(text)
    }

    private var lacksScheme: Refusal {
        let shown = shown
        if shown.hasPrefix("//") {
            return Refusal("\(self) has no scheme: write \(Redaction.quoted(shown: "https:" + shown))")
        }
        let port = shown.prefix { $0 != "/" }
        if port.hasPrefix(":"), port.count > 1, CanonicalHost("localhost\(port)") != nil {
            return Refusal(
                "\(self) has no host before its port: write \(Redaction.quoted(shown: "http://localhost" + shown))")
        }
        guard let scheme = likelyScheme(of: shown) else {
            guard base == nil else {
                return noun == .url
                    ? Refusal("\(self) cannot be parsed")
                    : Refusal("\(self) has no scheme: write one before it, as in \"http://127.0.0.1:8090\"")
            }
            return Refusal(
                "\(self) has no scheme, and there is no base URL: write a scheme in either, as in \"http://127.0.0.1:8090\" "
                    + "(URL(string: \"127.0.0.1:8090\") is nil)")
        }
        let base = base != nil || scheme == "http" ? "" : ", and there is no base URL"
        return Refusal("\(self) has no scheme\(base): write \(Redaction.quoted(shown: "\(scheme)://\(shown)"))")
    }

    private var looksLikeHost: Bool { likelyScheme(of: shown) != nil }

    /// The scheme that is probably meant, if the text probably begins with a host: a name with a port or a dot,
    /// `localhost`, or an IPv6 address. Nil if the text is probably a path, or has a scheme.
    private func likelyScheme(of shown: String) -> String? {
        let authority = shown.prefix { $0 != "/" }
        guard !authority.hasPrefix("[") else { return authority.contains("]") ? "http" : nil }
        let parts = authority.split(separator: ":", omittingEmptySubsequences: false)
        guard let name = parts.first, !name.isEmpty, parts.count <= 2, CanonicalHost(String(name)) != nil else {
            return nil
        }
        if parts.count == 2 { return CanonicalHost(String(authority)) != nil && !parts[1].isEmpty ? "http" : nil }
        guard let host = CanonicalHost(String(name)) else { return nil }
        if host.name == "localhost" || (host.isAddress && name.contains(".")) { return "http" }
        return name.dropFirst().dropLast().contains(".") && !name.hasPrefix(".") ? "https" : nil
    }
}
