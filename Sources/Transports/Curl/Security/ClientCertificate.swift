import PatchbayRegistry

/// A certificate of our own and its key, both in PEM files.
public struct ClientCertificate: Sendable, Hashable {
    /// The path of the certificate, with those between it and its authority behind it.
    public var certificate: String
    /// The path of the private key.
    public var key: String
    /// What the key is encrypted with; nil for one that is not.
    public var passphrase: String?

    /// Two PEM files, which are read when the first connection needs them.
    public init(certificate: String, key: String, passphrase: String? = nil) {
        self.certificate = certificate
        self.key = key
        self.passphrase = passphrase
    }
}

extension ClientCertificate: CustomStringConvertible, CustomReflectable {
    /// Says where the certificate is, not how its key is encrypted.
    public var description: String { "client certificate \(certificate)" }
    public var customMirror: Mirror { Mirror(described: self) }
}
