public import PatchbayJSON
public import PatchbayPlatform

/// How a host proves its identity, and how the connection to it is secured.
public struct TLSSettings: Sendable, Hashable {
    /// A version of TLS. Versions before 1.2 must not be used (RFC 8996).
    public enum Version: Sendable, Hashable {
        case tls12, tls13
    }

    /// The path of a PEM file with the certificate authorities to trust instead of the system's. Without this file and
    /// `certificateAuthorityData`, the system's authorities are trusted, or the authorities that the environment
    /// variables `SSL_CERT_FILE` and `SSL_CERT_DIR` name. A changed file is read again for the next exchange.
    public var certificateAuthorities: String?
    /// Certificate authorities in PEM to trust instead of the system's, in addition to the authorities in
    /// `certificateAuthorities`.
    public var certificateAuthorityData: Data?
    /// Whether the system's authorities are trusted in addition to the given authorities.
    public var keepsSystemAuthorities: Bool
    /// The certificate that is sent to a host that requests a certificate. If nil, no certificate is sent.
    public var clientCertificate: ClientCertificate?
    /// The oldest version that is allowed.
    public var minimumVersion: Version
    /// The newest version that is allowed. If nil, every newer version is allowed.
    public var maximumVersion: Version?
    /// The public keys that the host is allowed to have, checked in addition to all other checks. If empty, any key is
    /// allowed. Also pin a second key as a backup: without a backup key, the host can't be reached after its key
    /// changes.
    public var pinnedKeys: Set<PublicKeyPin>
    /// Whether any certificate is accepted. If true, neither the chain, nor the dates, nor the name of a certificate is
    /// checked: anyone between this machine and the host can read and change everything. Use this setting for a server
    /// on your own machine, never for a server on a network. Pinned keys are still checked.
    public var unsafelyAcceptsAnyCertificate: Bool
    /// Whether a body that ends with the connection is accepted if the host closes the connection without ending TLS
    /// (close_notify), as some old servers do. If false, such a body is incomplete
    /// (`TransportFailure.Code.truncatedBody`; RFC 9112, section 9.8), because anybody between this machine and the host
    /// can cut it. A body with a length, or in chunks, needs no such end.
    public var acceptsMissingCloseNotify: Bool

    /// The defaults: the authorities of the system, and TLS 1.2 or later.
    public init(
        certificateAuthorities: String? = nil, certificateAuthorityData: Data? = nil,
        keepsSystemAuthorities: Bool = false, clientCertificate: ClientCertificate? = nil,
        minimumVersion: Version = .tls12, maximumVersion: Version? = nil, pinnedKeys: Set<PublicKeyPin> = [],
        unsafelyAcceptsAnyCertificate: Bool = false, acceptsMissingCloseNotify: Bool = false
    ) {
        self.certificateAuthorities = certificateAuthorities
        self.certificateAuthorityData = certificateAuthorityData
        self.keepsSystemAuthorities = keepsSystemAuthorities
        self.clientCertificate = clientCertificate
        self.minimumVersion = minimumVersion
        self.maximumVersion = maximumVersion
        self.pinnedKeys = pinnedKeys
        self.acceptsMissingCloseNotify = acceptsMissingCloseNotify
        self.unsafelyAcceptsAnyCertificate = unsafelyAcceptsAnyCertificate
    }
}

/// A client certificate and its key, both in PEM files.
public struct ClientCertificate: Sendable, Hashable {
    /// The path of the certificate, followed in the file by the intermediate certificates up to its authority.
    public var certificate: String
    /// The path of the private key.
    public var key: String
    /// The passphrase of the key; nil for a key that isn't encrypted.
    public var passphrase: String?

    /// Two PEM files, which are read for the first exchange, and again for the next exchange when they have changed.
    public init(certificate: String, key: String, passphrase: String? = nil) {
        self.certificate = certificate
        self.key = key
        self.passphrase = passphrase
    }
}

extension ClientCertificate: CustomStringConvertible, CustomReflectable {
    /// Shows the path of the certificate, but not the passphrase.
    public var description: String { "client certificate \(certificate)" }
    public var customMirror: Mirror { Mirror(described: self) }
}

/// The SHA-256 digest of the public key of a certificate (its SubjectPublicKeyInfo; RFC 7469, section 2.4).
///
/// `openssl x509 -in cert.pem -pubkey -noout | openssl pkey -pubin -outform der |
/// openssl dgst -sha256 -binary | base64`
public struct PublicKeyPin: Sendable, Hashable {
    /// The digest in base64.
    public let base64: String

    /// Reads the digest in base64, alone or after `sha256/` or `sha256//`.
    /// - Throws: `FormatFailure` if the text is not base64 of 32 bytes.
    public init(_ pin: String) throws(FormatFailure) {
        let prefix = ["sha256//", "sha256/"].first { pin.hasPrefix($0) } ?? ""
        let digits = String(pin.dropFirst(prefix.count))
        // The decoder accepts some texts that are not valid base64.
        guard let digest = Data(base64Encoded: digits), digest.base64EncodedString() == digits else {
            throw FormatFailure("pin", .malformed, "the pin \"\(pin)\" is not base64")
        }
        guard digest.count == 32 else {
            throw FormatFailure(
                "pin", .malformed, "the pin \"\(pin)\" is of \(digest.count) bytes, and a SHA-256 digest of 32")
        }
        base64 = digits
    }
}

extension PublicKeyPin: CustomStringConvertible {
    public var description: String { "sha256//" + base64 }
}
