import CPatchbayCurl
import PatchbayManager
import PatchbayPlatform
import PatchbayRegistry

/// Failures of the proxy. Their sentences contain neither the user name and password for the proxy, nor the values of
/// environment variables.
extension TransportFailure {
    /// The failure of a transfer because of the proxy; nil if the proxy is not the reason, or if there is no proxy.
    static func proxy(
        _ code: patchbay_curl_code, _ handle: EasyHandle, _ request: WireRequest
    ) -> TransportFailure? {
        guard mayHaveProxy(request) else { return nil }
        let (url, text) = (request.url, handle.text)
        switch code {
        case PATCHBAY_CURLE_COULDNT_RESOLVE_PROXY where text.isUnusableProxy,
            PATCHBAY_CURLE_COULDNT_CONNECT where text.isUnusableProxy:
            guard case .environment = request.connection.proxy.use else {
                return unsupported("this libcurl cannot use such a proxy")
            }
            let variable = ProxyVariables.naming(isSecure: url.isSecure) ?? "the environment"
            return Self(.other, "\(variable) names a proxy that libcurl cannot use")
        case PATCHBAY_CURLE_COULDNT_RESOLVE_PROXY:
            return Self(.unresolvedHost, "the host name of the proxy could not be resolved")
        // Later versions of libcurl give the first code for a refused CONNECT.
        case PATCHBAY_CURLE_COULDNT_CONNECT where connectStatus(handle) >= 300,
            PATCHBAY_CURLE_RECV_ERROR where connectStatus(handle) >= 300:
            return refusal(status: connectStatus(handle))
        case PATCHBAY_CURLE_COULDNT_CONNECT where triedProxy(handle, request):
            return unconnected(handle, to: .proxy)
        case PATCHBAY_CURLE_OPERATION_TIMEDOUT where text.isUnconnected && triedProxy(handle, request):
            return Self(.connectTimeout, "no connection to the proxy within \(request.connectLimit)")
        // The proxy has made the connection, and the handshake with the host is not over.
        case PATCHBAY_CURLE_OPERATION_TIMEDOUT where connectStatus(handle) == 200: return nil
        case PATCHBAY_CURLE_OPERATION_TIMEDOUT where isConnectedToProxy(handle, url):
            return Self(.connectTimeout, "the proxy made no connection to the host within \(request.connectLimit)")
        case PATCHBAY_CURLE_GOT_NOTHING where isServedByProxy(handle, request):
            return Self(.lostConnection, "the proxy closed the connection without a response")
        // libcurl's code for SOCKS.
        case PATCHBAY_CURLE_PROXY: return refusal(ofSOCKS: handle.number(PATCHBAY_CURLINFO_PROXY_ERROR) ?? 0)
        // Later versions of libcurl give this code for an invalid answer to CONNECT. Before TLS, only the proxy can
        // have answered.
        case PATCHBAY_CURLE_WEIRD_SERVER_REPLY
        where url.isSecure && isConnectedToProxy(handle, url)
            && handle.duration(PATCHBAY_CURLINFO_APPCONNECT_TIME_T) == nil:
            return refusal(status: connectStatus(handle))
        case PATCHBAY_CURLE_RECV_ERROR where isServedByProxy(handle, request),
            PATCHBAY_CURLE_SEND_ERROR where isServedByProxy(handle, request):
            return url.isSecure
                ? refusal(status: connectStatus(handle)) : Self(.lostConnection, "the connection to the proxy was lost")
        case PATCHBAY_CURLE_PEER_FAILED_VERIFICATION:
            let result = handle.certificateResult(PATCHBAY_CURLINFO_PROXY_SSL_VERIFYRESULT)
            return isSecuredByProxy(handle, request) ? .certificate(result, text, of: .proxy) : nil
        case PATCHBAY_CURLE_SSL_CONNECT_ERROR, PATCHBAY_CURLE_SSL_CIPHER:
            return isSecuredByProxy(handle, request) ? .handshake(text, with: .proxy) : nil
        default: return nil
        }
    }

    /// Adds the parts of the environment that have no effect, because the proxy can have been asked for this reason.
    func noting(_ request: WireRequest) -> TransportFailure {
        guard case .environment = request.proxy else { return self }
        let clauses = [reason] + ProxyVariables.notes(isSecure: request.url.isSecure)
        return Self(code, clauses.joined(separator: "; "))
    }

    /// Whether the proxy itself receives the bytes of the transfer: there is no tunnel, or no tunnel yet.
    static func isServedByProxy(_ handle: EasyHandle, _ request: WireRequest) -> Bool {
        guard mayHaveProxy(request) else { return false }
        if request.url.isSecure {
            // On a connection that is used again, libcurl knows no answer to CONNECT, and has opened no socket.
            guard connectStatus(handle) != 200, handle.facts.pointee.sockets > 0 else { return false }
        }
        guard case .url(let proxy, _, _, _) = request.proxy else { return isConnectedToProxy(handle, request.url) }
        return proxy.hasPrefix("http")
    }

    /// Whether the failed TLS handshake was one with the proxy.
    private static func isSecuredByProxy(_ handle: EasyHandle, _ request: WireRequest) -> Bool {
        guard request.url.isSecure else { return true }
        if let result = handle.certificateResult(PATCHBAY_CURLINFO_PROXY_SSL_VERIFYRESULT), result != 0 { return true }
        guard case .url(let proxy, _, _, _) = request.proxy else { return false }
        return proxy.hasPrefix("https:") && connectStatus(handle) != 200
    }

    /// The status of the proxy's answer to CONNECT; 0 if there was no CONNECT request or no answer.
    private static func connectStatus(_ handle: EasyHandle) -> Int {
        handle.number(PATCHBAY_CURLINFO_HTTP_CONNECTCODE) ?? 0
    }

    static func refusal(status: Int) -> TransportFailure {
        switch status {
        case 407: Self(.refusedConnection, "the proxy asks for a user name and a password")
        case 300...: Self(.refusedConnection, "the proxy refused the connection to the host, with status \(status)")
        default: Self(.lostConnection, "the proxy made no connection to the host")
        }
    }

    /// - Parameter error: the reason, a `CURLproxycode`.
    private static func refusal(ofSOCKS error: Int) -> TransportFailure {
        switch error {
        case PATCHBAY_CURLPX_NO_AUTH: refusal(status: 407)
        case PATCHBAY_CURLPX_USER_REJECTED:
            Self(.refusedConnection, "the proxy refused the user name and the password")
        case PATCHBAY_CURLPX_REPLY_NOT_ALLOWED:
            Self(.refusedConnection, "the proxy does not allow connections to the host")
        case PATCHBAY_CURLPX_REPLY_CONNECTION_REFUSED:
            Self(.refusedConnection, "the host refused the connection of the proxy")
        case PATCHBAY_CURLPX_REPLY_HOST_UNREACHABLE, PATCHBAY_CURLPX_REPLY_NETWORK_UNREACHABLE:
            Self(.refusedConnection, "the proxy found no way to the host")
        case PATCHBAY_CURLPX_RESOLVE_HOST:
            Self(.unresolvedHost, "the address of the host was not found")
        default: Self(.lostConnection, "the proxy made no connection to the host")
        }
    }

    /// Whether libcurl tried to connect to the proxy, and not to the host. A proxy of the environment is not used for
    /// every host, but hardly ever has the port of one.
    private static func triedProxy(_ handle: EasyHandle, _ request: WireRequest) -> Bool {
        if case .url = request.proxy { return true }
        return isForeign(Int(handle.facts.pointee.port), request.url)
    }

    private static func isConnectedToProxy(_ handle: EasyHandle, _ url: WireURL) -> Bool {
        // libcurl 8.23 tells no port of a connection before the end of the handshake.
        let port = handle.number(PATCHBAY_CURLINFO_PRIMARY_PORT) ?? 0
        return isForeign(port == 0 ? Int(handle.facts.pointee.port) : port, url)
    }

    /// Whether there is a port, and not that of the host.
    private static func isForeign(_ port: Int, _ url: WireURL) -> Bool { port != 0 && port != url.host.effectivePort }

    /// Whether there can be a proxy: the proxy of the settings, or a proxy that the environment names for some hosts.
    private static func mayHaveProxy(_ request: WireRequest) -> Bool {
        switch request.proxy {
        case .never: return false
        case .url: return true
        case .environment: return ProxyVariables.naming(isSecure: request.url.isSecure) != nil
        }
    }
}
