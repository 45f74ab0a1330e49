#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif
#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The text of one manifest, and the name under which errors speak of it.
public struct ManifestSource: Sendable, Hashable {
    /// The largest manifest that is read, in bytes.
    public static let maximumBytes = 1 << 20

    public let name: String
    public let bytes: Data

    public init(name: String, bytes: Data) {
        self.name = name
        self.bytes = bytes
    }

    public init(name: String, _ text: String) {
        self.init(name: name, bytes: Data(text.utf8))
    }

    /// Reads a file, whose last path component becomes the name.
    ///
    /// Not a byte more than ``maximumBytes`` and one is read, whatever stands behind the path.
    public init(contentsOf url: URL) throws(ManifestFailure) {
        let name = url.lastPathComponent
        guard url.isFileURL else {
            throw ManifestFailure(
                .unreadableFile, file: name, "a manifest is read from a file, and this is no file URL")
        }
        guard let bytes = Self.read(url.path) else {
            let reason = String(cString: strerror(errno))
            throw ManifestFailure(.unreadableFile, file: name, "the file cannot be read: \(reason)")
        }
        self.init(name: name, bytes: bytes)
    }

    /// The bytes of the file; nil, and the reason in `errno`, where it cannot be read.
    private static func read(_ path: String) -> Data? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer {
            let reason = errno
            close(file)
            errno = reason
        }
        var bytes = Data()
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while bytes.count <= maximumBytes {
            let count = chunk.withUnsafeMutableBytes { readBytes(file, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { return nil }
            guard count > 0 else { break }
            bytes.append(contentsOf: chunk[..<count])
        }
        return bytes
    }
}

/// `read(2)`, which the method of the same name would hide.
private func readBytes(_ file: Int32, _ target: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(file, target, count)
}
