/// How a host is to prove who it is, and how the connection to it is secured.
public struct TLSSettings: Sendable, Hashable {
    /// A version of TLS (RFC 8996: those before 1.2 are not to be used).
    public enum Version: Sendable, Hashable {
        case tls12, tls13
    }

    /// The path of a PEM file with the certificate authorities to trust in place of the system's; nil trusts the system's.
    public var certificateAuthorities: String?
    /// What is shown to a host that asks who is there.
    public var clientCertificate: ClientCertificate?
    /// The oldest version that is spoken.
    public var minimumVersion: Version
    /// The keys that the host may have, beside all other checks; empty: any. Pin a second key that is kept in reserve, or the day
    /// the host's key changes is the last day that it can be reached.
    public var pinnedKeys: Set<PublicKeyPin>
    /// True checks neither the chain, nor the dates, nor the name of a certificate: whoever is on the way can read and change
    /// everything. For a server on the desk, never for one on a network. Pinned keys are still checked.
    public var unsafelyAcceptsAnyCertificate: Bool

    /// As it stands, the authorities of the system, and TLS 1.2 at least.
    public init(
        certificateAuthorities: String? = nil, clientCertificate: ClientCertificate? = nil,
        minimumVersion: Version = .tls12, pinnedKeys: Set<PublicKeyPin> = [],
        unsafelyAcceptsAnyCertificate: Bool = false
    ) {
        self.certificateAuthorities = certificateAuthorities
        self.clientCertificate = clientCertificate
        self.minimumVersion = minimumVersion
        self.pinnedKeys = pinnedKeys
        self.unsafelyAcceptsAnyCertificate = unsafelyAcceptsAnyCertificate
    }
}
