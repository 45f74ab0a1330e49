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
        return .file(.file(at: URL.currentDirectory().path + "/" + url.path), name: name)
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

    /// What to write instead of a comment, for an error.
    package static let notes = "a note is the value of a key that begins with \"x-\""

    package let name: String
    package let bytes: Data

    package init(name: String, bytes: Data) {
        self.name = name
        self.bytes = bytes
    }

    /// Reads a file. If the file is larger than ``maximumBytes``, only so much of it that this is known.
    fileprivate init(contentsOf url: URL, name: String) throws(ManifestFailure) {
        guard url.isFileURL else {
            throw ManifestFailure(
                .unreadableFile, file: name, "a manifest is read from a file, and this is no file URL")
        }
        let reason: String
        switch FileReading.of(url.path, upTo: Self.maximumBytes) {
        case .bytes(let bytes):
            self.init(name: name, bytes: Data(bytes))
            return
        case .failed(let code): reason = SystemError.words(code)
        case .notRegular: reason = "it is not a regular file"
        }
        throw ManifestFailure(.unreadableFile, file: name, "the file cannot be read: \(reason)")
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
