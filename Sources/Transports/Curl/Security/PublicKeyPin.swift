import PatchbayPlatform
public import PatchbayRegistry

/// The SHA-256 digest of a public key, as the certificate has it (its SubjectPublicKeyInfo; RFC 7469, section 2.4).
///
/// `openssl x509 -in cert.pem -pubkey -noout | openssl pkey -pubin -outform der | openssl dgst -sha256 -binary | base64`
public struct PublicKeyPin: Sendable, Hashable {
    /// The digest in base64.
    public let base64: String

    /// Reads the digest in base64, alone or behind `sha256/` or `sha256//`.
    /// - Throws: `PatternError` where that is not base64 of 32 bytes.
    public init(_ pin: String) throws(PatternError) {
        let prefix = ["sha256//", "sha256/"].first { pin.hasPrefix($0) } ?? ""
        let digits = String(pin.dropFirst(prefix.count))
        // The decoder takes some texts that are none.
        guard let digest = Data(base64Encoded: digits), digest.base64EncodedString() == digits else {
            throw PatternError("the pin \"\(pin)\" is not base64")
        }
        guard digest.count == 32 else {
            throw PatternError("the pin \"\(pin)\" is of \(digest.count) bytes, and a SHA-256 digest of 32")
        }
        base64 = digits
    }
}

extension PublicKeyPin: CustomStringConvertible {
    public var description: String { "sha256//" + base64 }
}
