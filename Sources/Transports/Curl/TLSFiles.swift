import CPatchbayCurl
import PatchbayManager
import PatchbayPlatform

/// The files of `TLSSettings`, and the authorities that the environment names. libcurl gets them as bytes.
///
/// They are read before an exchange gets to the loop, on a thread that is allowed to block: if a turn of the loop waited for a
/// pipe or a disk, all exchanges would wait, and none could be stopped. For each exchange, the system is asked whether a
/// file has changed, and a changed file is read again. The options of libcurl then differ, so that no connection is shared
/// with exchanges that had other bytes.
final class TLSFiles: Sendable {
    /// The bytes for one exchange.
    struct Content: Sendable {
        /// Nil for the authorities of the system, and for those in the folder that the environment names.
        var authorities: Authorities?
        var certificate: [UInt8]?
        var key: [UInt8]?
    }

    private struct Known: Sendable {
        let version: FileVersion
        /// The second in which the file was read.
        let second: Int
        /// An array that is unchanged stays the same one, which is compared without a look at its bytes.
        let bytes: [UInt8]
    }

    /// Authorities from several sources, joined.
    private struct Joined: Sendable {
        let files: [[UInt8]]
        let data: Data?
        let bytes: Authorities
    }

    private struct State: Sendable {
        var known: [String: Known] = [:]
        var joined: [Joined] = []
    }

    private let io: IOExecutor
    private let state = Guarded(State())

    init(on io: IOExecutor = IOExecutor()) { self.io = io }

    /// Reads the files for an exchange.
    /// - Throws: if a file cannot be read; `stopped` if the exchange ends first.
    func content(of settings: TLSSettings, unless stop: OneShot) async throws(TransportFailure) -> Content {
        guard settings.namesFiles else { return try read(settings) }
        let queue = IOExecutor.SerialQueue(io)
        let ending = await stop.orCancelled { left in
            await queue.run(until: left) {
                Result { () throws(TransportFailure) in try self.read(settings) }
            }
        }
        switch ending {
        case .done(let content): return try content.get()
        case .refused:
            throw TransportFailure(
                .insecureConnection, "the files of TLSSettings cannot be read: \(io.exhaustion)")
        case .left:
            queue.abandon()
            throw .stopped
        }
    }

    private func read(_ settings: TLSSettings) throws(TransportFailure) -> Content {
        var content = Content()
        if !settings.unsafelyAcceptsAnyCertificate { content.authorities = try authorities(settings) }
        if let own = settings.clientCertificate {
            content.certificate = try bytes(at: own.certificate, or: .unusableClientCertificate)
            content.key = try bytes(at: own.key, or: .unusableClientCertificate)
            guard content.certificate?.isEmpty == false, content.key?.isEmpty == false else {
                throw .unusableClientCertificate
            }
        }
        return content
    }

    /// - Throws: if a file cannot be read, or libcurl does not report the path of the system's authorities.
    private func authorities(_ settings: TLSSettings) throws(TransportFailure) -> Authorities? {
        let data = settings.certificateAuthorityData
        var paths = [settings.certificateAuthorities].compactMap { $0 }
        if settings.keepsSystemAuthorities {
            guard let system = Authorities.environmentFile ?? Self.systemFile else {
                throw TransportFailure(
                    .unsupportedRequest,
                    "this libcurl does not tell where the system's authorities are, for "
                        + "TLSSettings.keepsSystemAuthorities")
            }
            paths.insert(system, at: 0)
        } else if let file = Authorities.environmentFile, !settings.namesAuthorities {
            paths = [file]
        }
        guard data != nil || !paths.isEmpty else { return nil }
        let files = try paths.map { path throws(TransportFailure) in
            try bytes(
                at: path,
                or: TransportFailure(.insecureConnection, "the certificate authorities to trust could not be read"))
        }
        // libcurl 8.23 would trust the system's authorities instead.
        guard data?.isEmpty == false || files.contains(where: { !$0.isEmpty }) else {
            throw TransportFailure(.insecureConnection, "the certificate authorities to trust are empty")
        }
        return state.withLock { state in
            if let joined = state.joined.first(where: { $0.files == files && $0.data == data }) { return joined.bytes }
            var all = Data()
            for file in files {
                all.append(contentsOf: file)
                all.append(UInt8(ascii: "\n"))
            }
            if let data { all.append(data) }
            let bytes = Authorities(all)
            // Running transfers keep their own reference.
            if state.joined.count >= 8 { state.joined.removeAll() }
            state.joined.append(Joined(files: files, data: data, bytes: bytes))
            return bytes
        }
    }

    /// The path of the system's authorities; nil if libcurl does not report the path, or has no memory.
    private static var systemFile: String? {
        guard let easy = patchbay_curl_easy_open() else { return nil }
        defer { patchbay_curl_easy_close(easy) }
        return patchbay_curl_text(easy, PATCHBAY_CURLINFO_CAINFO).map { String(cString: $0) }
    }

    /// The bytes of the file: those that are known, if the file has not changed since.
    private func bytes(at path: String, or failure: TransportFailure) throws(TransportFailure) -> [UInt8] {
        // A file that changes while it is read is read again.
        for _ in 0..<4 {
            guard let version = FileVersion(path) else { throw failure }
            guard version.isRegular else {
                throw TransportFailure(.insecureConnection, "a file of TLSSettings is not a regular file")
            }
            let known = state.withLock { $0.known[path] }
            if let known, known.version == version, version.isOlder(than: known.second) { return known.bytes }
            let second = FileVersion.now
            guard case .bytes(let bytes) = FileReading.of(path, upTo: Authorities.maximumBytes) else { continue }
            guard FileVersion(path) == version else { continue }
            return state.withLock { state in
                let old = state.known[path]?.bytes
                let bytes = old == bytes ? old ?? bytes : bytes
                if state.known.count >= 64 { state.known.removeAll() }
                state.known[path] = Known(version: version, second: second, bytes: bytes)
                return bytes
            }
        }
        throw failure
    }
}

extension TLSSettings {
    /// Whether libcurl gets bytes for these settings.
    var givesBytes: Bool { certificateAuthorityData != nil || namesFiles }

    /// Whether the settings name authorities, which replace those of the system and of the environment.
    var namesAuthorities: Bool { certificateAuthorities != nil || certificateAuthorityData != nil }

    fileprivate var namesFiles: Bool {
        certificateAuthorities != nil || keepsSystemAuthorities || clientCertificate != nil
            || Authorities.environmentFile != nil && !namesAuthorities && !unsafelyAcceptsAnyCertificate
    }
}

/// The certificate authorities to trust instead of the authorities that libcurl was built with: PEM text at one address,
/// because libcurl reads it without a copy.
///
/// `@unchecked Sendable`: the memory is written before `init` returns, and freed after the last reference.
final class Authorities: @unchecked Sendable {
    /// The limit of libcurl for bytes that it is given (CURL_MAX_INPUT_LENGTH).
    static let maximumBytes = 8_000_000

    /// The file and the folder that replace the system's authorities, named by OpenSSL's environment variables.
    static let environmentFile = environment("SSL_CERT_FILE")
    static let environmentFolder = environment("SSL_CERT_DIR")

    let bytes: UnsafeRawBufferPointer

    init(_ data: Data) {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: data.count, alignment: 1)
        data.copyBytes(to: memory)
        bytes = UnsafeRawBufferPointer(memory)
    }

    deinit { bytes.deallocate() }

    private static func environment(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }
}

/// The key of a client certificate, and its passphrase.
struct ClientKey: Hashable {
    let key: [UInt8]
    let passphrase: String?
}
