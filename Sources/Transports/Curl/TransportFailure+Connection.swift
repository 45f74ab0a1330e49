import CPatchbayCurl
import PatchbayManager
import PatchbayPlatform
import PatchbayRegistry

/// Failures on the way to a connection, by the phase that failed.
extension TransportFailure {
    /// The failure when `ConnectionSettings.connectTimeout` has passed: before the name had an address, before there
    /// was a connection, or in the TLS handshake.
    static func connectTimeout(_ handle: EasyHandle, _ request: WireRequest) -> TransportFailure {
        let host = request.url.host
        let place = "\(host.name):\(host.effectivePort ?? 0)"
        let limit = request.connectLimit
        if let path = request.connection.unixSocket {
            return Self(.connectTimeout, "no connection to the Unix socket \(path) within \(limit)")
        }
        // libcurl 7.88.1 sets the time of the connection only when the handshake has ended, but the port as soon as
        // there is a connection.
        if handle.duration(PATCHBAY_CURLINFO_CONNECT_TIME_T) != nil
            || handle.number(PATCHBAY_CURLINFO_PRIMARY_PORT) ?? 0 != 0
        {
            return Self(.tlsTimeout, "the TLS handshake with \(place) did not end within \(limit)")
        }
        if handle.duration(PATCHBAY_CURLINFO_NAMELOOKUP_TIME_T) == nil {
            return Self(.connectTimeout, "the name \(host.name) was not resolved within \(limit)")
        }
        let tried = handle.openedSockets == 1 ? "1 address" : "\(handle.openedSockets) addresses"
        return Self(.connectTimeout, "no connection to \(place) within \(limit) (\(tried) tried)")
    }

    /// The failure of a Unix socket that could not be connected to; nil for any other failure.
    static func unixSocket(_ code: patchbay_curl_code, _ request: WireRequest) -> TransportFailure? {
        guard code == PATCHBAY_CURLE_COULDNT_CONNECT, let path = request.connection.unixSocket else { return nil }
        var status = stat()
        guard stat(path, &status) == 0 else {
            return Self(.refusedConnection, "the Unix socket \(path) cannot be reached: \(SystemError.last)")
        }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            return Self(.refusedConnection, "\(path) is not a Unix socket")
        }
        return Self(.refusedConnection, "no server takes connections on the Unix socket \(path)")
    }
}

extension WireRequest {
    /// `ConnectionSettings.connectTimeout` for a sentence.
    var connectLimit: String { connection.connectTimeout?.text ?? "the time that libcurl allows" }
}
