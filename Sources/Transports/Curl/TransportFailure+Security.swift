import PatchbayManager

extension TransportFailure {
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
    /// - Parameter own: the client certificate that the peer could have asked for.
    static func handshake(
        _ text: Libcurl.Text, with peer: Peer, showing own: ClientCertificate? = nil
    ) -> TransportFailure {
        if text.namesTLSVersion {
            return Self(.outdatedTLS, "the \(peer) speaks no version of TLS that is new enough")
        }
        if text.asksForCertificate {
            return Self(.clientCertificateRequired, "the \(peer) wants a client certificate")
        }
        if let own, text.refusesCertificate { return .refused(own, text) }
        return Self(.insecureConnection, "no secure connection could be made to the \(peer)")
    }

    static func refused(_ own: ClientCertificate, _ text: Libcurl.Text) -> TransportFailure {
        let reason =
            text.findsExpired ? ": it has run out" : text.knowsNoAuthority ? ": it knows no authority of it" : ""
        return Self(.insecureConnection, "the host refused the client certificate \(own.certificate)\(reason)")
    }

    /// libcurl cannot use the client certificate or its key, which have PEM blocks.
    static func unusable(_ request: WireRequest, _ text: Libcurl.Text) -> TransportFailure {
        guard let own = request.connection.tls?.clientCertificate, let key = request.files?.key else {
            return .noHandle
        }
        if text.namesCertificate {
            return Self(.insecureConnection, "a certificate in \(own.certificate) cannot be read: its PEM is broken")
        }
        let subject = "the private key in \(own.key)"
        let reason =
            switch Libcurl.reads(key, own.passphrase ?? "") {
            case true?: "\(subject) does not belong to the certificate in \(own.certificate)"
            case false? where !key.contains("ENCRYPTED".utf8): "\(subject) cannot be read: its PEM is broken"
            case false? where own.passphrase == nil: "\(subject) is encrypted, and ClientCertificate.passphrase is nil"
            case false?: "ClientCertificate.passphrase does not decrypt \(subject)"
            case nil: "\(subject) cannot be used with the certificate in \(own.certificate)"
            }
        return Self(.insecureConnection, reason)
    }

    /// libcurl cannot read the authorities. It reads the system's file itself, which can be missing.
    static func unreadableAuthorities(_ settings: TLSSettings?) -> TransportFailure {
        let data = settings?.certificateAuthorityData.map { _ in "TLSSettings.certificateAuthorityData" }
        var sources = [settings?.certificateAuthorities, data].compactMap { $0 }
        if sources.isEmpty { sources = [Authorities.environmentFile].compactMap { $0 } }
        let source = sources.isEmpty ? TLSFiles.systemFile ?? "the system's file" : sources.joined(separator: " or ")
        let reason = sources.isEmpty ? "" : ": their PEM is broken"
        return Self(.insecureConnection, "the certificate authorities in \(source) cannot be read\(reason)")
    }
}
