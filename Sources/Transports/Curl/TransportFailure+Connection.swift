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
        let sockets = handle.facts.pointee.sockets
        let tried = sockets == 1 ? "1 address" : "\(sockets) addresses"
        return Self(.connectTimeout, "no connection to \(place) within \(limit) (\(tried) tried)")
    }

    /// The failure of the last address, by the errno of the system.
    static func unconnected(_ handle: EasyHandle, to peer: Peer) -> TransportFailure {
        let port = handle.facts.pointee.port
        let reason =
            switch Int32(truncatingIfNeeded: handle.number(PATCHBAY_CURLINFO_OS_ERRNO) ?? 0) {
            case ECONNREFUSED where port != 0: "the connection to port \(port) of the \(peer) was refused"
            case EHOSTUNREACH, ENETUNREACH: "the network has no way to the \(peer)"
            default: "no connection could be made to the \(peer)"
            }
        return Self(.refusedConnection, reason)
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

/// Failures for a lack of memory, files or sockets.
extension TransportFailure {
    /// The failure for an errno that means a lack of memory, files or sockets; nil for any other errno.
    static func shortage(_ error: Int32) -> TransportFailure? {
        let reason: String? =
            switch error {
            case EMFILE: "the process may open no more files (EMFILE)"
            case ENFILE: "the system can open no more files (ENFILE)"
            case ENOMEM: "the system has no memory to spare (ENOMEM)"
            case ENOBUFS: "the system has no memory to spare (ENOBUFS)"
            case EADDRNOTAVAIL: "the system has no address or port to connect from (EADDRNOTAVAIL)"
            default: nil
            }
        return reason.map { TransportFailure(.outOfMemory, $0) }
    }

    /// The failure for the errno of a watch over sockets.
    static func unwatched(_ error: Int32) -> TransportFailure {
        // For epoll, ENOSPC is not about a disk (fs.epoll.max_user_watches).
        if error == ENOSPC { return TransportFailure(.outOfMemory, "the system can watch no more sockets (ENOSPC)") }
        return shortage(error) ?? TransportFailure(.other, "the system cannot watch the sockets (errno \(error))")
    }

    /// The shortage that prevents the process from opening a socket now; nil if it can open a socket.
    static var presentShortage: TransportFailure? {
        let file = socket(AF_INET, SystemCall.streamSocket, 0)
        guard file < 0 else {
            close(file)
            return nil
        }
        return shortage(errno)
    }

    /// The failure of a transfer that libcurl ended for a lack of sockets, files or memory, whatever its code.
    static func shortage(_ code: patchbay_curl_code, _ handle: EasyHandle) -> TransportFailure? {
        switch code {
        case PATCHBAY_CURLE_COULDNT_CONNECT:
            // libcurl keeps the errno of `connect`, but not that of `socket`.
            return shortage(handle.facts.pointee.socket_error)
                ?? shortage(Int32(truncatingIfNeeded: handle.number(PATCHBAY_CURLINFO_OS_ERRNO) ?? 0))
        case PATCHBAY_CURLE_COULDNT_RESOLVE_HOST, PATCHBAY_CURLE_COULDNT_RESOLVE_PROXY,
            PATCHBAY_CURLE_SSL_CACERT_BADFILE:
            // libcurl and the resolver keep no errno, so the system is asked.
            if let presentShortage { return presentShortage }
            return handle.text.lacksThread
                ? Self(.outOfMemory, "the system has no thread to look the host name up") : nil
        default: return nil
        }
    }
}
