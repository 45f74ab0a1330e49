public import PatchbayPlatform

/// A manifest: a file, or text in memory, with the name for messages.
public struct ManifestSource: Sendable, Hashable {
    private enum Content: Sendable, Hashable {
        case file(URL)
        case data(Data)
    }

    /// The name in messages.
    public let name: String
    private let content: Content

    private init(_ content: Content, name: String) {
        self.content = content
        self.name = name
    }

    /// A manifest in memory, in UTF-8.
    public static func data(_ data: Data, name: String = "manifest") -> ManifestSource {
        ManifestSource(.data(data), name: name)
    }

    /// A manifest in memory.
    public static func text(_ text: String, name: String = "manifest") -> ManifestSource {
        .data(Data(text.utf8), name: name)
    }

    /// A file. Its name in messages is the last component of its path.
    ///
    /// A registry reads the file when the registry is made, and again at each reload. The file must be a regular file
    /// or a link to one, of at most one mebibyte.
    public static func file(_ url: URL) -> ManifestSource { .file(url, name: url.lastPathComponent) }

    /// A file with another name in messages.
    package static func file(_ url: URL, name: String) -> ManifestSource { ManifestSource(.file(url), name: name) }

    package var file: URL? {
        guard case .file(let url) = content else { return nil }
        return url
    }

    /// The same source with an absolute path, so that the current folder does not matter.
    package var absolute: ManifestSource {
        guard case .file(let url) = content, url.isFileURL, !url.path.hasPrefix("/") else { return self }
        return .file(URL(filePath: URL.currentDirectory().path + "/" + url.path), name: name)
    }

    /// The text, or the reason that the file can't be read. The text is not checked.
    package func read() -> ManifestText.Reading {
        switch content {
        case .data(let bytes): .success(ManifestText(name: name, bytes: bytes))
        case .file(let url): Result { () throws(ManifestFailure) in try ManifestText(contentsOf: url, name: name) }
        }
    }
}

extension ManifestSource: CustomStringConvertible, CustomReflectable {
    /// `Plugins.json` for a file; `manifest, 1,024 bytes` for one in memory.
    public var description: String {
        switch content {
        case .file: name
        case .data(let bytes): "\(name), \(ByteCount(bytes.count))"
        }
    }
    public var customMirror: Mirror { Mirror(described: self) }
}

/// The text of one manifest, and its name in messages.
package struct ManifestText: Sendable, Hashable {
    /// The text of a file, or the reason that it can't be read. Two readings are equal if the bytes or the reasons are
    /// equal.
    package typealias Reading = Result<ManifestText, ManifestFailure>

    /// The size limit of a manifest, in bytes.
    package static let maximumBytes = 1 << 20

    package let name: String
    package let bytes: Data

    package init(name: String, bytes: Data) {
        self.name = name
        self.bytes = bytes
    }

    /// Reads a regular file or a link to one: reading a pipe could block for ever, and a device can be endless. A file
    /// larger than ``maximumBytes`` is read only so far that its size is known to be too large.
    fileprivate init(contentsOf url: URL, name: String) throws(ManifestFailure) {
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

        static func system(_ code: Int32) -> Unreadable { Unreadable(reason: SystemError.words(code)) }
    }

    private static func read(_ path: String) throws(Unreadable) -> Data {
        // Without O_NONBLOCK, opening a pipe waits until a process opens its other end. Without O_NOCTTY, a terminal
        // can become the controlling terminal of this process.
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard file >= 0 else { throw .system(errno) }
        defer { close(file) }
        // Checks the opened file, not the path: the path can lead to another file after `open`.
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

extension ManifestFailure {
    /// The failure of files that can't be watched, because the system has no more threads.
    package static func notWatched(_ manifests: [ManifestSource]) -> ManifestFailure {
        let files = manifests.filter { $0.file != nil }.map(\.name)
        return ManifestFailure(
            (files.isEmpty ? ["no files"] : files).map { name in
                Issue(
                    .unreadableFile, file: name, pointer: "",
                    "the file is not watched: the system has no thread left")
            })
    }
}
