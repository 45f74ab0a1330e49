import PatchbayPlatform
import PatchbayRegistry

/// The hosts that are allowed to get credentials: the origin of a base URL, and named hosts.
///
/// A class, so that passing a scope to a call copies one reference.
final class CredentialScope: Sendable {
    /// The origin of the base URL, which is allowed to get credentials; nil if only `hosts` are allowed to get
    /// credentials.
    private let origin: (scheme: String?, host: CanonicalHost)?
    private let hosts: [HostPattern]
    /// Whether `hosts` are allowed to get credentials over http too, because the base URL is http.
    private let allowsPlain: Bool
    /// Whether nothing names the hosts for credentials: there is neither a base URL nor a host in `hosts`.
    let isUnknown: Bool

    /// Creates the scope of a manager. If no request can be sent to the base URL, `origin` is nil.
    init(base: URL?, hosts: [HostPattern]) {
        origin = base.flatMap { try? RequestTarget("", base: $0) }.map { ($0.url.scheme, $0.host) }
        self.hosts = hosts
        allowsPlain = origin?.scheme == "http"
        isUnknown = base == nil && hosts.isEmpty
    }

    private init(of manager: CredentialScope, hosts: [HostPattern]) {
        (origin, self.hosts, allowsPlain, isUnknown) = (nil, hosts, manager.allowsPlain, false)
    }

    /// Returns a scope for these hosts only, or `self` if `hosts` is nil.
    func limited(to hosts: [HostPattern]?) -> CredentialScope {
        hosts.map { CredentialScope(of: self, hosts: $0) } ?? self
    }

    func covers(_ target: RequestTarget) -> Bool { covers(target.url, target.host) }

    func covers(_ url: URL) -> Bool { CanonicalHost(url: url).map { covers(url, $0) } ?? false }

    private func covers(_ url: URL, _ host: CanonicalHost) -> Bool {
        if let origin, origin.host == host, origin.scheme == url.scheme { return true }
        guard hosts.contains(where: { $0.matchesAsWritten(host) }) else { return false }
        return allowsPlain || url.scheme == "https" || host.isLoopback
    }
}

extension CanonicalHost {
    /// Whether the host is this machine: `localhost` and names below it (RFC 6761, section 6.3), 127.0.0.0/8 (RFC 1122,
    /// section 3.2.1.3) and ::1, each only in its one spelling.
    var isLoopback: Bool {
        name == "localhost" || name == "[::1]" || name.hasSuffix(".localhost")
            || isAddress && name == plainName && name.hasPrefix("127.")
    }
}
