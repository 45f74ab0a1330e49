import CPatchbayCurl
import PatchbayManager
import PatchbayPlatform

extension Transfer {
    /// Sets all options of the handle for this transfer.
    func prepare(_ handle: EasyHandle) throws(TransportFailure) {
        self.handle = handle
        attempt = nil
        (times.carried, times.bodySent) = (times.elapsed, nil)
        // Older versions of libcurl lack these options. Without the first, closing waits for a running name look-up;
        // nothing depends on the second.
        _ = handle.set(PATCHBAY_CURLOPT_QUICK_EXIT, 1)
        _ = handle.set(PATCHBAY_CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        _ = handle.set(PATCHBAY_CURLOPT_HTTP09_ALLOWED, 0)
        // Without PIPEWAIT: in libcurl 7.88.1, if several exchanges wait for one handshake and it is cancelled, all of
        // them fail.
        let version =
            switch request.connection.http {
            case .http2: PATCHBAY_CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE
            case _ where wantsHTTP2: PATCHBAY_CURL_HTTP_VERSION_2TLS
            default: PATCHBAY_CURL_HTTP_VERSION_1_1
            }
        guard handle.set(PATCHBAY_CURLOPT_HTTP_VERSION, version) || request.connection.http != .http2 else {
            throw .unsupported("this libcurl has no HTTP/2, for ConnectionSettings.http")
        }
        // This option has an effect only with schannel. But libcurl never shares connections that differ in it, so it
        // keeps this request from HTTP/2 connections: 7.88.1 takes an HTTP/1.1 connection in use for an HTTP/2
        // connection if both lead to the same host, and reads a piece of a body as a head.
        if request.url.isSecure, !wantsHTTP2 {
            _ = handle.set(PATCHBAY_CURLOPT_SSL_OPTIONS, PATCHBAY_CURLSSLOPT_REVOKE_BEST_EFFORT)
        }
        guard
            // The bits of http and https. The option is deprecated, but a call costs a tenth of a call with
            // CURLOPT_PROTOCOLS_STR, which libcurl 7.85 added and which takes names.
            handle.set(PATCHBAY_CURLOPT_PROTOCOLS, 1 | 2)
                || handle.set(PATCHBAY_CURLOPT_PROTOCOLS_STR, "http,https"),
            handle.collectFacts(),
            handle.set(PATCHBAY_CURLOPT_NOSIGNAL, 1),
            handle.set(PATCHBAY_CURLOPT_PATH_AS_IS, 1),
            handle.set(PATCHBAY_CURLOPT_BUFFERSIZE, request.bufferBytes),
            handle.set(PATCHBAY_CURLOPT_URL, request.url.text),
            try setSecurity(handle), try setConnection(handle), setMethod(handle), handle.set(fields: request.lines),
            setCallbacks(handle),
            !isAlone || handle.set(PATCHBAY_CURLOPT_FRESH_CONNECT, 1),
            !request.needsOwnConnection || handle.keepAlone()
        else { throw .noHandle }
    }

    /// Applies the TLS settings.
    ///
    /// libcurl uses a connection again only for a transfer with the same versions of TLS, authorities, client
    /// certificate, pins and checks. It does not compare the key and the passphrase of a client certificate, so a
    /// second key for one certificate never shares a connection.
    private func setSecurity(_ handle: EasyHandle) throws(TransportFailure) -> Bool {
        guard let settings = try request.tls() else { return true }
        guard settings.maximumVersion != .tls12 || settings.minimumVersion == .tls12 else {
            throw .unsupported("TLSSettings.maximumVersion is older than TLSSettings.minimumVersion")
        }
        let oldest =
            settings.minimumVersion == .tls12 ? PATCHBAY_CURL_SSLVERSION_TLSv1_2 : PATCHBAY_CURL_SSLVERSION_TLSv1_3
        let newest =
            switch settings.maximumVersion {
            case .tls12?: PATCHBAY_CURL_SSLVERSION_MAX_TLSv1_2
            case .tls13?: PATCHBAY_CURL_SSLVERSION_MAX_TLSv1_3
            case nil: 0
            }
        guard handle.set(PATCHBAY_CURLOPT_SSLVERSION, oldest | newest), try setAuthorities(settings, handle) else {
            return false
        }
        if let own = settings.clientCertificate, !set(own, handle) { return false }
        if !settings.pinnedKeys.isEmpty {
            let pins = settings.pinnedKeys.map(\.description).inOrder().joined(separator: ";")
            guard handle.set(PATCHBAY_CURLOPT_PINNEDPUBLICKEY, pins) else { return false }
        }
        guard settings.unsafelyAcceptsAnyCertificate else { return true }
        return handle.set(PATCHBAY_CURLOPT_SSL_VERIFYPEER, 0) && handle.set(PATCHBAY_CURLOPT_SSL_VERIFYHOST, 0)
    }

    private func set(_ own: ClientCertificate, _ handle: EasyHandle) -> Bool {
        guard let certificate = request.files?.certificate, let key = request.files?.key else {
            return false
        }
        let takesBytes =
            certificate.withUnsafeBytes { handle.set(PATCHBAY_CURLOPT_SSLCERT_BLOB, $0, PATCHBAY_CURL_BLOB_COPY) }
            && key.withUnsafeBytes { handle.set(PATCHBAY_CURLOPT_SSLKEY_BLOB, $0, PATCHBAY_CURL_BLOB_COPY) }
        guard
            takesBytes
                || handle.set(PATCHBAY_CURLOPT_SSLCERT, own.certificate)
                    && handle.set(PATCHBAY_CURLOPT_SSLKEY, own.key),
            // Without a passphrase, OpenSSL would prompt for one at the terminal.
            handle.set(PATCHBAY_CURLOPT_KEYPASSWD, own.passphrase ?? "")
        else { return false }
        let used = ClientKey(key: key, passphrase: own.passphrase)
        // libcurl compares the certificate alone. Until the key is noted again, an exchange with another key could share
        // a connection that was made with this one.
        if loop.firstKeys.count >= 256 { loop.firstKeys.removeAll() }
        guard loop.firstKeys[certificate, default: used] == used else { return handle.keepAlone() }
        loop.firstKeys[certificate] = used
        return true
    }

    /// Sets the authorities to trust. libcurl has the system's authorities in a file and in a folder. Next to a file or
    /// bytes, libcurl would also trust the authorities in the folder. So the folder is unset, unless the settings keep
    /// the system's authorities.
    private func setAuthorities(_ settings: TLSSettings, _ handle: EasyHandle) throws(TransportFailure) -> Bool {
        if settings.namesAuthorities, !settings.keepsSystemAuthorities {
            _ = handle.unset(PATCHBAY_CURLOPT_CAPATH)
        } else if let folder = Authorities.environmentFolder, !handle.set(PATCHBAY_CURLOPT_CAPATH, folder) {
            return false
        }
        guard let bytes = request.files?.authorities?.bytes else { return true }
        guard bytes.count <= Authorities.maximumBytes else {
            throw .unsupported("the certificate authorities have more than the 8 MB that libcurl takes")
        }
        if handle.set(PATCHBAY_CURLOPT_CAINFO_BLOB, bytes, PATCHBAY_CURL_BLOB_NOCOPY) { return true }
        // libcurl before 7.77, and with GnuTLS before 8.18, takes no bytes.
        guard let path = settings.certificateAuthorities ?? Authorities.environmentFile,
            settings.certificateAuthorityData == nil, !settings.keepsSystemAuthorities
        else { return false }
        return handle.set(PATCHBAY_CURLOPT_CAINFO, path)
    }

    private func setMethod(_ handle: EasyHandle) -> Bool {
        if request.method == "HEAD" { return handle.set(PATCHBAY_CURLOPT_NOBODY, 1) }
        if request.body != nil {
            guard
                handle.set(PATCHBAY_CURLOPT_POST, 1),
                // Without a length, libcurl sends the body chunked.
                handle.set(PATCHBAY_CURLOPT_POSTFIELDSIZE_LARGE, request.bodyLength.map { Int(clamping: $0) } ?? -1)
            else { return false }
            // libcurl would wait for bytes of an empty body.
            if request.bodyLength == 0, !handle.set(PATCHBAY_CURLOPT_COPYPOSTFIELDS, "") { return false }
        }
        let own = request.body == nil ? "GET" : "POST"
        return request.method == own || handle.set(PATCHBAY_CURLOPT_CUSTOMREQUEST, request.method)
    }

    private func setCallbacks(_ handle: EasyHandle) -> Bool {
        var handlers = patchbay_curl_handlers()
        handlers.on_line = { bytes, _, count, context in
            Transfer.at(context).receiveLine(UnsafeRawBufferPointer(start: bytes, count: count))
        }
        handlers.on_body = { bytes, _, count, context in
            Transfer.at(context).receiveBody(UnsafeRawBufferPointer(start: bytes, count: count))
        }
        if request.body != nil, request.bodyLength != 0 {
            handlers.fill = { buffer, one, count, context in
                Transfer.at(context).fill(UnsafeMutableRawBufferPointer(start: buffer, count: one * count))
            }
            handlers.seek = { context, offset, origin in
                let isDone = origin == 0 && Transfer.at(context).seek(to: Int(clamping: offset))
                return Int32(isDone ? PATCHBAY_CURL_SEEKFUNC_OK : PATCHBAY_CURL_SEEKFUNC_FAIL)
            }
            handlers.on_progress = Self.onProgress
        }
        if request.hasTrailers {
            handlers.on_trailers = { list, context in
                Transfer.at(context).appendTrailers { patchbay_curl_list_append(list, $0) == 0 } ? 0 : 1
            }
        }
        guard set(handlers, of: handle) else { return false }
        // libcurl asks whether it may send the request on the connection that it has for it, and reports the connection.
        // Before 7.80, libcurl lacks this option: with such a libcurl, an exchange counts as one connection until its end.
        handlers = patchbay_curl_handlers()
        handlers.judge = { context, remote, _, remotePort, localPort in
            Transfer.at(context).takesConnection(from: localPort, to: remote, remotePort) ? 0 : 1
        }
        handle.facts.pointee.repeats_only_refusals = set(handlers, of: handle) ? 1 : 0
        return true
    }

    /// There is no callback after the transfer was released, because libcurl calls back only while the handle is on the
    /// multi handle, and `EventLoop` releases the transfer in `finish`, after removing the handle.
    func set(_ handlers: patchbay_curl_handlers, of handle: EasyHandle) -> Bool {
        patchbay_curl_set_handlers(handle.pointer, handlers, context) == 0
    }

    /// Whether addresses identify the connection. A connection on a Unix socket has none.
    var hasAddresses: Bool { request.connection.unixSocket == nil }
}

extension EasyHandle {
    /// Makes libcurl carry the transfer over a connection of its own, and close the connection after it.
    func keepAlone() -> Bool { set(PATCHBAY_CURLOPT_FRESH_CONNECT, 1) && set(PATCHBAY_CURLOPT_FORBID_REUSE, 1) }
}

extension WireRequest {
    /// The TLS settings; nil for a request without TLS.
    fileprivate func tls() throws(TransportFailure) -> TLSSettings? {
        guard let settings = connection.tls else {
            guard url.isSecure else { return nil }
            throw TransportFailure.unlistedHost
        }
        guard !url.isSecure, !settings.pinnedKeys.isEmpty else { return url.isSecure ? settings : nil }
        throw TransportFailure(.insecureConnection, "the host has pinned keys, which http cannot check")
    }
}
