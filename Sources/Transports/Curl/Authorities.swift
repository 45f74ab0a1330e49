import CPatchbayCurl
import PatchbayManager
import PatchbayPlatform

/// The certificate authorities to trust instead of the authorities that libcurl was built with. `TLSFiles` reads them.
enum Authorities {
    /// The limit of libcurl for bytes that it is given (CURL_MAX_INPUT_LENGTH).
    static let maximumBytes = 8_000_000

    /// PEM text at one address, because libcurl reads it without a copy.
    ///
    /// `@unchecked Sendable`: the memory is written before `init` returns, and freed after the last reference.
    final class Bytes: @unchecked Sendable {
        let pointer: UnsafeRawPointer
        let count: Int

        init(_ data: Data) {
            let memory = UnsafeMutableRawPointer.allocate(byteCount: data.count, alignment: 1)
            data.copyBytes(to: UnsafeMutableRawBufferPointer(start: memory, count: data.count))
            (pointer, count) = (UnsafeRawPointer(memory), data.count)
        }

        deinit { pointer.deallocate() }
    }

    /// The file and the folder that replace the system's authorities, named by OpenSSL's environment variables.
    static let environmentFile = environment("SSL_CERT_FILE")
    static let environmentFolder = environment("SSL_CERT_DIR")
    /// The same as C strings, which each transfer sets. They are never changed and never freed.
    nonisolated(unsafe) static let environmentFileText = environmentFile.flatMap { UnsafePointer(strdup($0)) }
    nonisolated(unsafe) static let environmentFolderText = environmentFolder.flatMap { UnsafePointer(strdup($0)) }

    private static func environment(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }
}
