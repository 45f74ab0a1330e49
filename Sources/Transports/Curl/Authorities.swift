import CPatchbayCurl
import PatchbayManager
import PatchbayPlatform

/// The certificate authorities of settings that have more than one source, or bytes instead of a file. The authorities
/// are read once for all exchanges of a loop.
struct Authorities {
    /// The limit of libcurl for bytes that it is given (CURL_MAX_INPUT_LENGTH).
    static let maximumBytes = 8_000_000
    /// The number of marks (`Transfer.connectionMark`). A mark changes the options for the authorities, but not the
    /// authorities.
    static let marks = 255

    /// PEM text at one address, because libcurl reads it without a copy. `marks` empty lines follow the text. The mark
    /// of a transfer is the number of these lines that libcurl reads.
    ///
    /// `@unchecked Sendable`: the memory is written before `init` returns, and freed after the last reference.
    final class Bytes: @unchecked Sendable {
        let pointer: UnsafeRawPointer
        let count: Int

        init(_ data: Data) {
            let memory = UnsafeMutableRawPointer.allocate(byteCount: data.count + Authorities.marks, alignment: 1)
            data.copyBytes(to: UnsafeMutableRawBufferPointer(start: memory, count: data.count))
            (memory + data.count).initializeMemory(as: UInt8.self, repeating: 0x0A, count: Authorities.marks)
            (pointer, count) = (UnsafeRawPointer(memory), data.count)
        }

        deinit { pointer.deallocate() }
    }

    private struct Key: Hashable {
        let file: String?
        let data: Data?
        let keepsSystem: Bool
    }

    /// The file and the folder that replace the system's authorities, named by OpenSSL's environment variables.
    static let environmentFile = environment("SSL_CERT_FILE")
    static let environmentFolder = environment("SSL_CERT_DIR")
    /// The same as C strings, which each transfer sets. They are never changed and never freed.
    nonisolated(unsafe) static let environmentFileText = environmentFile.flatMap { UnsafePointer(strdup($0)) }
    nonisolated(unsafe) static let environmentFolderText = environmentFolder.flatMap { UnsafePointer(strdup($0)) }

    private var known: [Key: Bytes] = [:]

    /// - Throws: if a file cannot be read, or libcurl does not report the path of the system's authorities.
    mutating func bytes(_ settings: TLSSettings, _ handle: EasyHandle) throws(TransportFailure) -> Bytes {
        let key = Key(
            file: settings.certificateAuthorities, data: settings.certificateAuthorityData,
            keepsSystem: settings.keepsSystemAuthorities)
        if let bytes = known[key] { return bytes }
        var all = Data()
        if key.keepsSystem {
            guard let file = Self.environmentFile ?? handle.systemAuthorities else {
                throw TransportFailure(
                    .unsupportedRequest,
                    "this libcurl does not tell where the system's authorities are, for "
                        + "TLSSettings.keepsSystemAuthorities")
            }
            try Self.append(file, to: &all)
        }
        if let file = key.file { try Self.append(file, to: &all) }
        if let data = key.data { all.append(data) }
        // libcurl 8.23 would trust the system's authorities instead.
        guard !all.isEmpty else {
            throw TransportFailure(.insecureConnection, "the certificate authorities to trust are empty")
        }
        let bytes = Bytes(all)
        // Running transfers keep their own reference.
        if known.count >= 8 { known.removeAll() }
        known[key] = bytes
        return bytes
    }

    /// Another path of the same file: the path after `mark` repetitions of `/` or `./`.
    static func path(_ path: String, mark: Int) -> String {
        String(repeating: path.hasPrefix("/") ? "/" : "./", count: mark) + path
    }

    private var checked: Set<String> = []

    /// Checks once that there is no pipe, device or folder at the path: libcurl would wait for a pipe, and with it all
    /// exchanges.
    mutating func check(_ path: String) throws(TransportFailure) {
        guard !checked.contains(path) else { return }
        var status = stat()
        // A file that is missing is libcurl's to report.
        guard stat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw TransportFailure(.insecureConnection, "a file of TLSSettings is not a regular file")
        }
        if checked.count >= 64 { checked.removeAll() }
        checked.insert(path)
    }

    private static func append(_ file: String, to all: inout Data) throws(TransportFailure) {
        guard case .bytes(let bytes) = FileReading.of(file, upTo: maximumBytes) else {
            throw TransportFailure(.insecureConnection, "the certificate authorities to trust could not be read")
        }
        all.append(contentsOf: bytes)
        all.append(UInt8(ascii: "\n"))
    }

    private static func environment(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }
}
