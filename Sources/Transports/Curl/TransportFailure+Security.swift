import PatchbayManager

extension TransportFailure {
    static let unusableClientCertificate = Self(
        .insecureConnection, "the client certificate or its key could not be used")
    static let mismatchedPin = Self(.mismatchedPin, "the key of the host is not one of those pinned for it")
    static let missingCloseNotify = Self(
        .truncatedBody,
        "the connection ended without the end of TLS (close_notify), so the body can be cut; "
            + "TLSSettings.acceptsMissingCloseNotify accepts it")
    static let unlistedHost = Self(
        .unlistedHost, "the connection settings for the host refuse https: their tls is nil")

    /// The peer of a TLS handshake.
    enum Peer: String {
        case host, proxy
    }

    /// The reason that the certificate of the peer was refused.
    /// - Parameters:
    ///   - result: OpenSSL's result (`X509_V_ERR_…` of <openssl/x509_vfy.h>, numbers of its stable interface); nil with
    ///     another TLS library.
    static func certificate(_ result: Int?, _ text: Libcurl.Text, of peer: Peer) -> TransportFailure {
        let certificate = "the certificate of the \(peer)"
        let wrongHost = Self(
            .wrongHostCertificate,
            peer == .host ? "the certificate is for another host" : "\(certificate) is for another host")
        return switch result {
        // libcurl checks the name of the host itself, before it takes OpenSSL's result.
        case 1: wrongHost
        case nil where text.namesOtherHost: wrongHost
        case 9, 10: Self(.expiredCertificate, "\(certificate) has run out, or is not valid yet")
        case 18: Self(.selfSignedCertificate, "\(certificate) vouches for itself")
        case 2, 19, 20, 21, 27, 33: Self(.unknownAuthority, "\(certificate) leads to no authority that is trusted")
        case 62, 64: wrongHost
        case 66, 67, 68: Self(.weakCertificate, "\(certificate), or one above it, is too weak")
        default: Self(.refusedCertificate, "\(certificate) is not to be trusted")
        }
    }

    /// The reason that the TLS handshake failed.
    /// - Parameter text: libcurl's text, which contains OpenSSL's text.
    static func handshake(_ text: Libcurl.Text, with peer: Peer) -> TransportFailure {
        if text.namesTLSVersion {
            return Self(.outdatedTLS, "the \(peer) speaks no version of TLS that is new enough")
        }
        if text.asksForCertificate {
            return Self(.clientCertificateRequired, "the \(peer) wants a client certificate")
        }
        return Self(.insecureConnection, "no secure connection could be made to the \(peer)")
    }
}
