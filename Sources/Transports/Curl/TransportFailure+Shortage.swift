import CPatchbayCurl
import PatchbayManager
import PatchbayPlatform

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
            return shortage(handle.socketError)
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
