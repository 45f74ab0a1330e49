import CPatchbayCurl
import PatchbayManager

extension Transfer {
    /// Secures the transfer as the settings for its host say.
    func setSecurity(
        _ handle: EasyHandle, _ configuration: CurlTransport.Configuration
    ) throws(TransportFailure) -> Bool {
        guard let settings = try request.tls(configuration) else { return true }
        let oldest: Int =
            switch settings.minimumVersion {
            case .tls12: Int(PATCHBAY_CURL_SSLVERSION_TLSv1_2)
            case .tls13: Int(PATCHBAY_CURL_SSLVERSION_TLSv1_3)
            }
        guard handle.set(PATCHBAY_CURLOPT_SSLVERSION, oldest) else { return false }
        if let path = settings.certificateAuthorities {
            // The system's are in a file and in a folder: libcurl would go on to trust those of the folder.
            guard handle.set(PATCHBAY_CURLOPT_CAINFO, path) else { return false }
            _ = handle.unset(PATCHBAY_CURLOPT_CAPATH)
        }
        if let own = settings.clientCertificate {
            guard handle.set(PATCHBAY_CURLOPT_SSLCERT, own.certificate), handle.set(PATCHBAY_CURLOPT_SSLKEY, own.key),
                // Without one OpenSSL would ask at the terminal.
                handle.set(PATCHBAY_CURLOPT_KEYPASSWD, own.passphrase ?? "")
            else { return false }
        }
        if !settings.pinnedKeys.isEmpty {
            let pins = settings.pinnedKeys.map(\.description).sorted().joined(separator: ";")
            guard handle.set(PATCHBAY_CURLOPT_PINNEDPUBLICKEY, pins) else { return false }
        }
        guard settings.unsafelyAcceptsAnyCertificate else { return true }
        return handle.set(PATCHBAY_CURLOPT_SSL_VERIFYPEER, 0) && handle.set(PATCHBAY_CURLOPT_SSL_VERIFYHOST, 0)
    }
}

extension WireRequest {
    /// The settings for the host; nil for a request without TLS.
    fileprivate func tls(_ configuration: CurlTransport.Configuration) throws(TransportFailure) -> TLSSettings? {
        guard let settings = configuration.tls(for: url.host) else {
            guard url.isSecure else { return nil }
            throw TransportFailure.unlistedHost
        }
        guard !url.isSecure, !settings.pinnedKeys.isEmpty else { return url.isSecure ? settings : nil }
        throw TransportFailure(.insecureConnection, "the host has pinned keys, which http cannot check")
    }
}
