import CPatchbayCurl
import PatchbayManager
import PatchbayPlatform

extension Transfer {
    /// Sets all options of the handle for this transfer.
    func prepare(_ handle: EasyHandle) throws(TransportFailure) {
        take(handle)
        // Older versions of libcurl lack this option: with them, closing waits for a running name look-up.
        _ = handle.set(PATCHBAY_CURLOPT_QUICK_EXIT, 1)
        // Older versions of libcurl lack these options; nothing depends on them.
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
        guard handle.set(PATCHBAY_CURLOPT_HTTP_VERSION, Int(version)) || request.connection.http != .http2 else {
            throw TransportFailure(.unsupportedRequest, "this libcurl has no HTTP/2, for ConnectionSettings.http")
        }
        var isSet =
            patchbay_curl_set_http_only(handle.pointer) == 0
            && handle.collectFacts()
            && handle.set(PATCHBAY_CURLOPT_NOSIGNAL, 1)
            && handle.set(PATCHBAY_CURLOPT_FOLLOWLOCATION, 0)
            && handle.set(PATCHBAY_CURLOPT_PATH_AS_IS, 1)
            && handle.set(PATCHBAY_CURLOPT_BUFFERSIZE, request.bufferBytes)
            && handle.set(PATCHBAY_CURLOPT_URL, request.url.text)
        // This option has an effect only with schannel. But libcurl never shares connections that differ in it, so it
        // keeps this request from HTTP/2 connections: 7.88.1 takes an HTTP/1.1 connection in use for an HTTP/2
        // connection if both lead to the same host, and reads a piece of a body as a head.
        if request.url.isSecure, !wantsHTTP2 {
            _ = handle.set(PATCHBAY_CURLOPT_SSL_OPTIONS, Int(PATCHBAY_CURLSSLOPT_REVOKE_BEST_EFFORT))
        }
        isSet = try setSecurity(handle) && isSet
        isSet = try setConnection(handle) && isSet
        isSet = isSet && setMethod(handle) && handle.set(fields: request.lines) && setCallbacks(handle)
        if isAlone { isSet = isSet && handle.set(PATCHBAY_CURLOPT_FRESH_CONNECT, 1) }
        if request.needsOwnConnection {
            isSet =
                isSet && handle.set(PATCHBAY_CURLOPT_FRESH_CONNECT, 1) && handle.set(PATCHBAY_CURLOPT_FORBID_REUSE, 1)
        }
        guard isSet else { throw .noHandle }
    }

    /// Applies the TLS settings.
    ///
    /// libcurl uses a connection again only for a transfer with the same versions of TLS, authorities, client
    /// certificate, pins and checks. It does not compare the key and the passphrase of a client certificate, so a
    /// second key for one certificate never shares a connection.
    private func setSecurity(_ handle: EasyHandle) throws(TransportFailure) -> Bool {
        guard let settings = try request.tls() else { return true }
        let oldest: Int =
            switch settings.minimumVersion {
            case .tls12: Int(PATCHBAY_CURL_SSLVERSION_TLSv1_2)
            case .tls13: Int(PATCHBAY_CURL_SSLVERSION_TLSv1_3)
            }
        guard settings.maximumVersion != .tls12 || settings.minimumVersion == .tls12 else {
            throw TransportFailure(
                .unsupportedRequest, "TLSSettings.maximumVersion is older than TLSSettings.minimumVersion")
        }
        let newest: Int =
            switch settings.maximumVersion {
            case .tls12?: Int(PATCHBAY_CURL_SSLVERSION_MAX_TLSv1_2)
            case .tls13?: Int(PATCHBAY_CURL_SSLVERSION_MAX_TLSv1_3)
            case nil: 0
            }
        guard handle.set(PATCHBAY_CURLOPT_SSLVERSION, oldest | newest), try setAuthorities(settings, handle) else {
            return false
        }
        if let own = settings.clientCertificate {
            guard let certificate = request.files?.certificate?.bytes, let key = request.files?.key?.bytes,
                handle.set(certificate: certificate, key: key) || set(own, handle),
                // Without a passphrase, OpenSSL would prompt for one at the terminal.
                handle.set(PATCHBAY_CURLOPT_KEYPASSWD, own.passphrase ?? "")
            else { return false }
            let used = ClientKey(key: key, passphrase: own.passphrase)
            // libcurl compares the certificate alone. Until the key is noted again, an exchange with another key could share
            // a connection that was made with this one.
            if loop.firstKeys.count >= 256 { loop.firstKeys.removeAll() }
            if loop.firstKeys[certificate, default: used] == used {
                loop.firstKeys[certificate] = used
            } else {
                guard handle.set(PATCHBAY_CURLOPT_FRESH_CONNECT, 1), handle.set(PATCHBAY_CURLOPT_FORBID_REUSE, 1) else {
                    return false
                }
            }
        }
        if !settings.pinnedKeys.isEmpty {
            let pins = settings.pinnedKeys.map(\.description).inOrder().joined(separator: ";")
            guard handle.set(PATCHBAY_CURLOPT_PINNEDPUBLICKEY, pins) else { return false }
        }
        guard settings.unsafelyAcceptsAnyCertificate else { return true }
        return handle.set(PATCHBAY_CURLOPT_SSL_VERIFYPEER, 0) && handle.set(PATCHBAY_CURLOPT_SSL_VERIFYHOST, 0)
    }

    /// Sets the paths of a client certificate, for a libcurl or a TLS library that takes no bytes.
    private func set(_ own: ClientCertificate, _ handle: EasyHandle) -> Bool {
        handle.set(PATCHBAY_CURLOPT_SSLCERT, own.certificate) && handle.set(PATCHBAY_CURLOPT_SSLKEY, own.key)
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
        guard let bytes = request.files?.authorities else { return true }
        guard bytes.count <= Authorities.maximumBytes else {
            throw TransportFailure(
                .unsupportedRequest, "the certificate authorities have more than the 8 MB that libcurl takes")
        }
        if patchbay_curl_set_authorities(handle.pointer, bytes.pointer, bytes.count) == 0 { return true }
        // libcurl before 7.77, and with GnuTLS before 8.18, takes no bytes.
        guard let path = settings.certificateAuthorities ?? Authorities.environmentFile,
            settings.certificateAuthorityData == nil, !settings.keepsSystemAuthorities
        else { return false }
        return handle.set(PATCHBAY_CURLOPT_CAINFO, path)
    }

    private func setMethod(_ handle: EasyHandle) -> Bool {
        if request.method == "HEAD" { return handle.set(PATCHBAY_CURLOPT_NOBODY, 1) }
        if request.body != nil {
            if request.hasTrailers, !setTrailers(handle) { return false }
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

    /// Sets the callbacks for lines, for pieces of both bodies, and for progress.
    private func setCallbacks(_ handle: EasyHandle) -> Bool {
        let handlers = patchbay_curl_handlers(
            on_line: { bytes, _, count, context in
                Transfer.at(context).receiveLine(UnsafeRawBufferPointer(start: bytes, count: count))
            },
            on_body: { bytes, _, count, context in
                Transfer.at(context).receiveBody(UnsafeRawBufferPointer(start: bytes, count: count))
            },
            fill: { buffer, one, count, context in
                Transfer.at(context).fill(UnsafeMutableRawBufferPointer(start: buffer, count: one * count))
            },
            seek: { context, offset, origin in
                let isDone = origin == 0 && Transfer.at(context).seek(to: Int(clamping: offset))
                return Int32(isDone ? PATCHBAY_CURL_SEEKFUNC_OK : PATCHBAY_CURL_SEEKFUNC_FAIL)
            },
            on_progress: Self.onProgress)
        let sends = request.body != nil && request.bodyLength != 0
        // Not retained: a callback after the transfer was released would read freed memory. There is no such callback,
        // because libcurl calls back only while the handle is on the multi handle, and `EventLoop` releases the
        // transfer in `finish`, after removing the handle.
        let context = Unmanaged.passUnretained(self).toOpaque()
        guard patchbay_curl_set_handlers(handle.pointer, handlers, context, sends ? 1 : 0) == 0 else { return false }
        // libcurl asks whether it may send the request on the connection that it has for it, and reports the connection.
        handle.judgeConnections(
            { context, remote, _, remotePort, localPort in
                let transfer = Transfer.at(context)
                if let refusal = transfer.refusal(from: localPort, to: remote, remotePort) {
                    transfer.verdict = refusal
                    return 1
                }
                if transfer.hasAddresses {
                    transfer.loop.noteConnection(
                        of: transfer, ConnectionID(remote: remote, remotePort, localPort: localPort))
                }
                return 0
            }, context)
        return true
    }

    /// Whether addresses identify the connection. A connection on a Unix socket has none.
    var hasAddresses: Bool { request.connection.unixSocket == nil }

    /// Sets the callback for trailer fields.
    private func setTrailers(_ handle: EasyHandle) -> Bool {
        patchbay_curl_set_trailers(
            handle.pointer,
            { list, context in
                Transfer.at(context).appendTrailers { patchbay_curl_list_append(list, $0) == 0 } ? 0 : 1
            }, Unmanaged.passUnretained(self).toOpaque()) == 0
    }

    /// The transfer behind the pointer that `setCallbacks` gave libcurl. The loop's list holds the transfer as long as
    /// libcurl has the pointer.
    static func at(_ context: UnsafeMutableRawPointer) -> Transfer {
        Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
    }
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
