// The files of downloads: their folders and names, the part file that is written, and its resumption.

public import PatchbayPlatform
public import PatchbayRegistry

/// The destination of a download's file.
///
/// The file gets its name when it is completely on disk. Until then, its bytes are in a hidden `.part` file in the same
/// folder, which only the owner can read. If the download fails, the `.part` file is removed, unless the destination is
/// `resumable()`. A process that is killed leaves its `.part` file; downloads to the same name remove such files when
/// they are a day old. If the disk does not answer, a call that has ended waits some seconds at most. The file is closed
/// and removed when the disk answers, unless it has already replaced an existing file (`replacingFile()`): the new file
/// is complete and stays. The finished file has the mode of a plain new file in its folder (the umask of the process). A
/// hidden empty file, made for a moment, shows this mode. If that file can't be made, only the owner can read the
/// finished file.
///
/// An existing file is not replaced, unless you use `replacingFile()`. A folder, a symbolic link, a device or anything
/// else that is not a plain file is never replaced. Without `replacingFile()`, the file system must support hard links,
/// or a rename that fails if the new name exists. If it supports neither, the download fails before its body is read.
///
/// If another process removes or replaces the `.part` file during the download, the download fails and no file gets the
/// final name.
public struct DownloadDestination: Sendable {
    enum Place: Sendable {
        case file(URL)
        case folder(URL)
        case temporary
        case chosen(@Sendable (ResponseHead) throws -> DownloadDestination)
    }

    let place: Place
    /// The interrupted download whose rest is fetched; nil for the whole file.
    private(set) var resumption: DownloadResumption?
    var createsFolders = false
    var replacesFile = false
    var isResumable = false
    /// Whether the file stays readable by its owner alone, like temporary files.
    var isTemporary = false

    init(_ place: Place) { self.place = place }

    /// A file of this name.
    public static func file(_ url: URL) -> DownloadDestination { DownloadDestination(.file(url)) }

    /// A file in this folder, under the name that the server suggests, made safe (`ResponseHead.suggestedFileName`).
    public static func folder(_ url: URL) -> DownloadDestination { DownloadDestination(.folder(url)) }

    /// A file with a new name in the folder for temporary files, which only the owner can read. The caller must remove
    /// the file. A failed call leaves no file.
    public static let temporary = DownloadDestination(.temporary).with(\.isTemporary)

    /// A destination that depends on the response. The closure runs on a thread where it is allowed to block. If it
    /// throws, the download fails. The options of the chosen destination apply, except `resumable()`: call
    /// `resumable()` on this destination, because the request depends on it.
    public static func chosen(
        _ choose: @escaping @Sendable (ResponseHead) throws -> DownloadDestination
    ) -> DownloadDestination {
        DownloadDestination(.chosen(choose))
    }

    /// Returns this destination with the option to create missing folders.
    public func creatingFolders() -> DownloadDestination { with(\.createsFolders) }

    /// Returns this destination with the option to replace an existing plain file.
    public func replacingFile() -> DownloadDestination { with(\.replacesFile) }

    /// Returns this destination for a GET request whose file can be fetched in several steps.
    ///
    /// A transfer that is interrupted, times out, is cancelled or fills the disk keeps its `.part` file, and its error
    /// has a `DownloadResumption`. The part file stays until it is resumed or discarded
    /// (`DownloadResumption.discard()`). The response must have a strong ETag, or a Last-Modified that is at least a
    /// minute older than the response. Otherwise the `.part` file is removed, and the error says so. The request asks
    /// for the coding `identity`, because ranges count the bytes as they are sent. A response that has a coding all the
    /// same is decoded, and can't be resumed.
    public func resumable() -> DownloadDestination { with(\.isResumable) }

    /// Returns this destination for the rest of an interrupted download. Only the missing part is fetched, if the server
    /// still has the same version.
    ///
    ///     try await manager.download("film.mp4", to: .file(film).resuming(rest))
    ///
    /// This destination names the file and its options, because a stored resumption can have been edited. The call fails
    /// with code `resumption` if the resumption is of another file, or of a download with another choice of
    /// `replacingFile()`. In a `folder`, the name is that of the resumption, which must be a name that a server can
    /// suggest. A `chosen` destination can't be resumed: use the one that the closure returned.
    ///
    /// The request must be made again, with the same URL and with valid credentials. It asks the server for a range, on
    /// the condition that the file has not changed (If-Range; RFC 9110, section 13.1.5). The server answers with the
    /// missing bytes, which are appended (`Reply.head` then has the status 206), or with the whole file, which is
    /// written from the start. After status 416, or a response that is not the missing part, the call asks for the
    /// whole file at once. That is no retry of `RetryPolicy`, but observers hear `retrying`.
    ///
    /// The call fails with code `file` if the `.part` file was removed or changed, or belongs to another user, and with
    /// code `resumption` if the response is neither the missing part nor the whole file. Unless the `.part` file was
    /// changed, it stays until the whole file begins to arrive, and `resumption` of the error can be used again. This
    /// destination is also `resumable()`.
    public func resuming(_ resumption: DownloadResumption) -> DownloadDestination {
        var copy = resumable()
        copy.resumption = resumption
        return copy
    }

    private func with(_ option: WritableKeyPath<DownloadDestination, Bool>) -> DownloadDestination {
        var copy = self
        copy[keyPath: option] = true
        return copy
    }

    /// Whether `resuming(_:)` accepts the resumption.
    package func accepts(_ resumption: DownloadResumption) -> Bool { (try? file(of: resumption)) != nil }

    /// Returns the file at this destination that a resumption is of.
    /// - Throws: the reason that the resumption is of another file, or of a download with other options.
    func file(of resumption: DownloadResumption) throws(Refusal) -> URL {
        let name = resumption.file.lastPathComponent
        let file: URL? =
            switch place {
            case .file(let url): url
            case .folder(let url): SuggestedFileName.safe(name) == name ? url.appending(path: name) : nil
            case .temporary: name.hasPrefix(Self.temporaryName) ? URL.temporaryDirectory.appending(path: name) : nil
            case .chosen: throw Refusal("its destination depends on the response")
            }
        guard let file, file.standardizedFileURL.path == resumption.file.standardizedFileURL.path,
            isTemporary == resumption.isTemporary
        else { throw Refusal("it was begun to another file") }
        guard replacesFile == resumption.replacesFile else {
            throw Refusal("it was begun \(resumption.replacesFile ? "with" : "without") replacingFile()")
        }
        return file
    }

    private static let temporaryName = "patchbay-"

    /// Returns the file for a response, and the destination whose options apply: this one, or the destination that its
    /// closure returns for the response.
    func resolve(_ head: ResponseHead) throws -> (file: URL, options: DownloadDestination) {
        switch place {
        case .file(let url): return (url, self)
        case .folder(let url): return (url.appending(path: SuggestedFileName(head).name), self)
        case .temporary:
            let name = Self.temporaryName + String(UInt64.random(in: .min ... .max), radix: 36)
            return (URL.temporaryDirectory.appending(path: name), self)
        case .chosen(let choose):
            let chosen = try choose(head)
            if case .chosen = chosen.place {
                throw FileFailure(name: "the destination", .other("it was left to a second choice"))
            }
            guard chosen.resumption == nil else {
                throw FileFailure(
                    name: "the destination", .other("a file is resumed before there is a response, not after"))
            }
            return try chosen.resolve(head)
        }
    }
}

extension DownloadDestination: CustomStringConvertible {
    /// The file name, such as `dump.csv`, or a phrase if the name is not known yet.
    public var description: String {
        switch place {
        case .file(let url): url.lastPathComponent
        case .folder(let url): "a file in \(url.lastPathComponent)"
        case .temporary: "a temporary file"
        case .chosen: "a file that the response decides on"
        }
    }
}
