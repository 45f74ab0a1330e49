// The files of downloads: their places and names, the part file that is written, and its resumption.

public import PatchbayPlatform
public import PatchbayRegistry

/// The destination of a download's file.
///
/// The file appears under its name when it is completely on disk. Until then it is a hidden `.part` file beside it,
/// readable by its owner alone. If the download fails, nothing is left of it, unless the destination is `resumable()`.
/// The next download of the same name removes the part files of processes that were killed. A call whose disk does not
/// answer ends after some seconds at most: its file is closed and removed when the disk answers, unless it has replaced
/// another file by then (`replacingFile()`); that file is complete and stays. The finished file has the mode of new
/// files of the process (its umask). It stays readable by its owner alone if the system does not tell the umask: on
/// Linux without /proc.
///
/// An existing file is left alone, unless `replacingFile()` allows replacing it. Anything but a plain file (a folder, a
/// symbolic link, a device) is never replaced. To leave alone a file that appears during the transfer, the file system
/// must support hard links, or renaming to a free name only. If it supports neither, the download fails before its body
/// is read; use `replacingFile()` there.
///
/// Only the file that was written gets the name. If another process removed or replaced the `.part` file in the
/// meantime, the download fails and no file gets the name.
public struct DownloadDestination: Sendable {
    enum Place: Sendable {
        case file(URL)
        case folder(URL)
        case temporary
        case resuming(DownloadResumption)
        case chosen(@Sendable (ResponseHead) throws -> DownloadDestination)
    }

    let place: Place
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

    /// A file with a new name in the folder for temporary files, readable by its owner alone. The caller removes it; a
    /// failed call leaves none.
    public static let temporary = {
        var temporary = DownloadDestination(.temporary)
        temporary.isTemporary = true
        return temporary
    }()

    /// The file of an interrupted download. Only the missing part is fetched, if the server still has the same version.
    ///
    /// The request must be made again, with the same URL and with valid credentials. The server is asked for a range on
    /// the condition that nothing has changed (If-Range; RFC 9110, section 13.1.5). It answers with the rest, which is
    /// appended (`Reply.head` then has the status 206), or with the whole file, which is written from the start.
    ///
    /// The call fails with code `file` if the `.part` file is gone or changed, and with code `resumption` if the
    /// response is not the rest of the file. The part stays, and `resumption` of the error can be used again, unless
    /// the part was changed. The options are those of the interrupted download.
    public static func resuming(_ resumption: DownloadResumption) -> DownloadDestination {
        DownloadDestination(.resuming(resumption))
    }

    /// A destination that depends on the response. The closure runs on a thread where it may block; its error fails the
    /// download. The options are those of the chosen destination, except `resumable()`: the request must know it, so it
    /// is set on this one.
    public static func chosen(
        _ choose: @escaping @Sendable (ResponseHead) throws -> DownloadDestination
    ) -> DownloadDestination {
        DownloadDestination(.chosen(choose))
    }

    /// The same destination, with missing folders created.
    public func creatingFolders() -> DownloadDestination {
        var copy = self
        copy.createsFolders = true
        return copy
    }

    /// The same destination, with an existing plain file replaced.
    public func replacingFile() -> DownloadDestination {
        var copy = self
        copy.replacesFile = true
        return copy
    }

    /// The same destination for a GET request whose file can be fetched in several steps.
    ///
    /// A transfer that breaks off, runs out of time, is cancelled or fills the disk keeps its `.part` file, and its
    /// error has a `DownloadResumption`. The part file stays until it is resumed or discarded
    /// (`DownloadResumption.discard()`). This needs a strong ETag, or else a Last-Modified that is at least a minute
    /// older than the response; without them the part is removed, and the error says so. The request asks for the
    /// coding `identity`, because ranges count the bytes as they are sent.
    public func resumable() -> DownloadDestination {
        var copy = self
        copy.isResumable = true
        return copy
    }

    /// The interrupted download that this destination resumes.
    var resumption: DownloadResumption? {
        if case .resuming(let resumption) = place { resumption } else { nil }
    }

    /// The destination of an interrupted download, with its options.
    init(of resumption: DownloadResumption) {
        self = .file(resumption.file).resumable()
        replacesFile = resumption.replacesFile
        isTemporary = resumption.isTemporary
    }

    /// The file for a response, with these options or those of the chosen destination.
    func resolve(_ head: ResponseHead) throws -> (file: URL, options: DownloadDestination) {
        switch place {
        case .file(let url): return (url, self)
        case .folder(let url): return (url.appending(path: SuggestedFileName(head).name), self)
        case .temporary:
            let name = "patchbay-" + String(UInt64.random(in: .min ... .max), radix: 36)
            return (URL.temporaryDirectory.appending(path: name), self)
        case .chosen(let choose):
            let chosen = try choose(head)
            switch chosen.place {
            case .chosen: throw FileFailure(name: "the destination", .other("it was left to a second choice"))
            case .resuming:
                throw FileFailure(
                    name: "the destination", .other("a file is resumed before there is a response, not after"))
            case .file, .folder, .temporary: return try chosen.resolve(head)
            }
        case .resuming(let resumption): return (resumption.file, self)
        }
    }
}

extension DownloadDestination: CustomStringConvertible {
    /// `dump.csv`, or words if the name is not known yet.
    public var description: String {
        switch place {
        case .file(let url): url.lastPathComponent
        case .resuming(let resumption): resumption.file.lastPathComponent
        case .folder(let url): "a file in \(url.lastPathComponent)"
        case .temporary: "a temporary file"
        case .chosen: "a file that the response decides on"
        }
    }
}
