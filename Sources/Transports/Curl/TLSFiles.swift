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
        var known: [Named: Known] = [:]
        var joined: [Joined] = []
    }

    /// A file, the setting that names it, and the kind of its PEM blocks.
    private struct Named: Hashable {
        let path: String
        let setting: String
        var kind = "certificate"

        /// Whether there is a block (RFC 7468), perhaps a broken one.
        func hasBlock(_ bytes: some ContiguousBytes) -> Bool {
            let label = Array(" \(kind.uppercased())-----".utf8)
            return bytes.withUnsafeBytes { bytes in
                bytes.indices.contains { bytes[$0] == label[0] && bytes[$0...].starts(with: label) }
            }
        }

        /// The bytes of a file that has not changed meanwhile.
        func bytes(_ reading: FileReading) throws(TransportFailure) -> [UInt8] {
            switch reading {
            case .bytes(let bytes) where hasBlock(bytes): return bytes
            case .bytes(let bytes): throw unusable(bytes.isEmpty ? "is empty" : "has no \(kind) in PEM")
            case .failed(let error): throw unusable("cannot be read: \(SystemError.words(error))")
            case .notRegular: throw unusable("is not a regular file")
            }
        }

        func unusable(_ reason: String) -> TransportFailure {
            TransportFailure(.insecureConnection, "the file \(path) of \(setting) \(reason)")
        }
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
            content.certificate = try bytes(of: Named(path: own.certificate, setting: "ClientCertificate.certificate"))
            content.key = try bytes(of: Named(path: own.key, setting: "ClientCertificate.key", kind: "private key"))
        }
        return content
    }

    /// - Throws: if a file cannot be read, or libcurl does not report the path of the system's authorities.
    private func authorities(_ settings: TLSSettings) throws(TransportFailure) -> Authorities? {
        let data = settings.certificateAuthorityData
        var named = [settings.certificateAuthorities].compactMap { $0 }
            .map { Named(path: $0, setting: "TLSSettings.certificateAuthorities") }
        let environment = Authorities.environmentFile.map { Named(path: $0, setting: "SSL_CERT_FILE") }
        if settings.keepsSystemAuthorities {
            let file = environment ?? Self.systemFile.map { Named(path: $0, setting: "the system's authorities") }
            guard let file else {
                throw .unsupported(
                    "this libcurl does not tell where the system's authorities are, for TLSSettings.keepsSystemAuthorities"
                )
            }
            named.insert(file, at: 0)
        } else if let environment, !settings.namesAuthorities {
            named = [environment]
        }
        guard data != nil || !named.isEmpty else { return nil }
        let files = try named.map { file throws(TransportFailure) in try bytes(of: file) }
        // libcurl 8.23 would trust the system's authorities instead of none.
        guard data.map({ $0.count > Authorities.maximumBytes || Named(path: "", setting: "").hasBlock($0) }) ?? true
        else {
            throw TransportFailure(
                .insecureConnection, "TLSSettings.certificateAuthorityData has no certificate in PEM")
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
    static var systemFile: String? {
        guard let easy = patchbay_curl_easy_open() else { return nil }
        defer { patchbay_curl_easy_close(easy) }
        return patchbay_curl_text(easy, PATCHBAY_CURLINFO_CAINFO).map { String(cString: $0) }
    }

    /// The bytes of the file: those that are known, if the file has not changed since.
    private func bytes(of file: Named) throws(TransportFailure) -> [UInt8] {
        // A file that changes while it is read is read again.
        for _ in 0..<4 {
            guard let version = FileVersion(file.path) else {
                throw file.unusable("cannot be read: \(SystemError.last)")
            }
            guard version.isRegular else {
                throw file.unusable(version.isFolder ? "is a folder" : "is not a regular file")
            }
            let known = state.withLock { $0.known[file] }
            if let known, known.version == version, version.isOlder(than: known.second) { return known.bytes }
            let second = FileVersion.now
            let reading = FileReading.of(file.path, upTo: Authorities.maximumBytes)
            guard FileVersion(file.path) == version else { continue }
            let bytes = try file.bytes(reading)
            return state.withLock { state in
                let old = state.known[file]?.bytes
                let bytes = old == bytes ? old ?? bytes : bytes
                if state.known.count >= 64 { state.known.removeAll() }
                state.known[file] = Known(version: version, second: second, bytes: bytes)
                return bytes
            }
        }
        throw file.unusable("changed each time that it was read")
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
    static let environmentFile = SystemCall.variable("SSL_CERT_FILE")
    static let environmentFolder = SystemCall.variable("SSL_CERT_DIR")

    let bytes: UnsafeRawBufferPointer

    init(_ data: Data) {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: data.count, alignment: 1)
        data.copyBytes(to: memory)
        bytes = UnsafeRawBufferPointer(memory)
    }

    deinit { bytes.deallocate() }
}

/// The key of a client certificate, and its passphrase.
struct ClientKey: Hashable {
    let key: [UInt8]
    let passphrase: String?
}
