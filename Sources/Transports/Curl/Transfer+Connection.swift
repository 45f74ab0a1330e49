import CPatchbayCurl
import PatchbayManager
import PatchbayPlatform
import PatchbayRegistry

extension Transfer {
    /// Applies the connection settings to the handle. Returns false if libcurl refuses an option.
    ///
    /// libcurl uses a connection again only for a transfer with the same proxy, Unix socket and address.
    func setConnection(_ handle: EasyHandle) throws(TransportFailure) -> Bool {
        let settings = request.connection
        // 0 would mean libcurl's own timeout of 300 s.
        let limit = settings.connectTimeout.map { max($0.milliseconds, 1) } ?? Int(Int32.max)
        guard handle.set(PATCHBAY_CURLOPT_CONNECTTIMEOUT_MS, limit) else { return false }
        if let age = settings.idleConnectionAge?.wholeSeconds, !handle.set(PATCHBAY_CURLOPT_MAXAGE_CONN, age) {
            return false
        }
        if let age = settings.maximumConnectionAge?.wholeSeconds, !handle.set(PATCHBAY_CURLOPT_MAXLIFETIME_CONN, age) {
            throw .unsupported("this libcurl cannot apply ConnectionSettings.maximumConnectionAge; 7.80 and later can")
        }
        if let version = settings.ipVersion {
            let number = version == .v4 ? PATCHBAY_CURL_IPRESOLVE_V4 : PATCHBAY_CURL_IPRESOLVE_V6
            guard handle.set(PATCHBAY_CURLOPT_IPRESOLVE, number) else { return false }
        }
        if let path = settings.unixSocket {
            // The size of sun_path, which ends with a NUL.
            guard (1...107).contains(path.utf8.count), !path.utf8.contains(0) else {
                throw .unsupported("the path of a Unix socket has 1 to 107 bytes, and this one \(path.utf8.count)")
            }
            return handle.set(PATCHBAY_CURLOPT_UNIX_SOCKET_PATH, path) && setProxy(handle)
        }
        guard setProxy(handle) else { return false }
        guard let address = settings.address else { return true }
        guard CanonicalHost(address) != nil else {
            throw .unsupported("ConnectionSettings.address is neither a host nor a host and a port")
        }
        return handle.connect(to: address)
    }

    private func setProxy(_ handle: EasyHandle) -> Bool {
        let proxy = request.proxy
        if case .never = proxy { return handle.set(PATCHBAY_CURLOPT_PROXY, "") }
        // The settings for TLS are for the host. An https proxy must have a certificate from an authority of the system.
        if let file = Authorities.environmentFile { _ = handle.set(PATCHBAY_CURLOPT_PROXY_CAINFO, file) }
        if let folder = Authorities.environmentFolder { _ = handle.set(PATCHBAY_CURLOPT_PROXY_CAPATH, folder) }
        guard case .url(let named, let user, let password, _) = proxy else { return true }
        // With the scheme socks5h, a SOCKS proxy looks up the name of the host. The variable no_proxy of the
        // environment does not apply to a proxy of the settings.
        let url = named.hasPrefix("socks5:") ? "socks5h:" + named.dropFirst("socks5:".count) : named
        guard handle.set(PATCHBAY_CURLOPT_PROXY, url), handle.set(PATCHBAY_CURLOPT_NOPROXY, "") else {
            return false
        }
        guard let user else { return true }
        return handle.set(PATCHBAY_CURLOPT_PROXYUSERNAME, user)
            && handle.set(PATCHBAY_CURLOPT_PROXYPASSWORD, password ?? "")
    }
}

extension WireRequest {
    /// The proxy of the request: none for a Unix socket, and for a host that the settings except.
    var proxy: ProxySettings.Use {
        guard connection.unixSocket == nil else { return .never }
        guard case .url(_, _, _, let except) = connection.proxy.use, except.contains(where: { $0.matches(url.host) })
        else {
            return connection.proxy.use
        }
        return .never
    }

    /// Whether the proxy reads the request: it is not sent through a tunnel.
    var isReadByProxy: Bool {
        guard !url.isSecure else { return false }
        return switch proxy {
        case .never: false
        case .url(let proxy, _, _, _): proxy.hasPrefix("http")
        case .environment: ProxyVariables.isPlainNamed
        }
    }
}

extension Duration {
    /// The whole seconds, rounded up, and at least 1: for libcurl, 0 means no limit.
    var wholeSeconds: Int { max((milliseconds + 999) / 1_000, 1) }

    /// The milliseconds, rounded up: only a duration that is not positive gives 0. The result is at most the largest
    /// number that libcurl accepts.
    fileprivate var milliseconds: Int {
        guard self > .zero else { return 0 }
        return Int(min(waitableNanoseconds - 1, (Int64(Int32.max) - 1) * 1_000_000) / 1_000_000) + 1
    }
}
