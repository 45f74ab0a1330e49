public import PatchbayPlatform

/// The text of one manifest, and the name under which errors speak of it.
public struct ManifestSource: Sendable, Hashable {
    /// The largest manifest that is read, in bytes.
    public static let maximumBytes = 1 << 20

    /// What messages call it.
    public let name: String
    /// The text, in UTF-8.
    public let bytes: Data

    /// A manifest from anywhere, under a name for messages.
    public init(name: String, bytes: Data) {
        self.name = name
        self.bytes = bytes
    }

    /// A manifest that stands in the code.
    public init(name: String, _ text: String) {
        self.init(name: name, bytes: Data(text.utf8))
    }

    /// Reads a file, whose last path component becomes the name.
    ///
    /// It is a regular file, or a link to one: a pipe could make its reader wait for ever, and a device may have no end. Of one
    /// that is larger than ``maximumBytes`` only so much is read as shows that.
    public init(contentsOf url: URL) throws(ManifestFailure) {
        try self.init(contentsOf: url, name: url.lastPathComponent)
    }

    /// The same, under a name of its own.
    package init(contentsOf url: URL, name: String) throws(ManifestFailure) {
        guard url.isFileURL else {
            throw ManifestFailure(
                .unreadableFile, file: name, "a manifest is read from a file, and this is no file URL")
        }
        do throws(Unreadable) {
            self.init(name: name, bytes: try Self.read(url.path))
        } catch {
            throw ManifestFailure(.unreadableFile, file: name, "the file cannot be read: \(error.reason)")
        }
    }

    private struct Unreadable: Error {
        let reason: String

        /// The C library's words for its error.
        static func system(_ code: Int32) -> Unreadable { Unreadable(reason: SystemError.words(code)) }
    }

    private static func read(_ path: String) throws(Unreadable) -> Data {
        // Without O_NONBLOCK opening a pipe waits for its other end; a terminal must not become that of this process.
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard file >= 0 else { throw .system(errno) }
        defer { close(file) }
        // What was opened is asked, not the path, behind which there may be something else by now.
        var status = stat()
        guard fstat(file, &status) == 0 else { throw .system(errno) }
        switch status.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: throw .system(EISDIR)
        default: throw Unreadable(reason: "it is not a regular file")
        }
        var bytes = Data()
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while bytes.count <= maximumBytes {
            let count = chunk.withUnsafeMutableBytes { SystemCall.read(file, $0) }
            guard count >= 0 else { throw .system(errno) }
            guard count > 0 else { break }
            bytes.append(contentsOf: chunk[..<count])
        }
        return bytes
    }
}

extension ManifestSource: CustomStringConvertible, CustomReflectable {
    /// `Plugins.json, 1,024 bytes`
    public var description: String { "\(name), \(ByteCount(bytes.count))" }
    public var customMirror: Mirror { Mirror(described: self) }
}

extension ManifestSource {
    /// A file that was read, or why it could not be. Two are equal where the same bytes were found, or the same fault.
    package typealias Reading = Result<ManifestSource, ManifestFailure>

    /// Reads files; what is in them is not looked at.
    package static func readings(of urls: [URL]) -> [Reading] {
        urls.map { url in Result { () throws(ManifestFailure) in try ManifestSource(contentsOf: url) } }
    }
}

extension ManifestFailure {
    /// Files of which nobody will hear again, because the system has nothing left to watch them with.
    package static func notWatched(_ files: [URL]) -> ManifestFailure {
        let names = files.isEmpty ? ["no files"] : files.map(\.lastPathComponent)
        return ManifestFailure(
            names.map { name in
                Issue(
                    .unreadableFile, file: name, pointer: "",
                    "the file is not watched: the system has no thread or no descriptor left")
            })
    }
}
