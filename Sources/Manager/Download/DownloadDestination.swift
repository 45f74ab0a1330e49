// Files of downloads: where they go and what they are called, the part that is written, and how it is gone on with another time.

public import PatchbayPlatform
public import PatchbayRegistry

/// Where the file of a download goes.
///
/// The file appears under its name when all of it is on disk, and not before; until then it is a hidden `.part` file beside it,
/// readable by its owner alone, of which nothing is left when the download fails, unless the place is `resumable()`. What a
/// process that was killed left is removed by the next download of that name. A call whose disk does not answer ends all the same,
/// some seconds later at most: its file is closed and removed when the disk answers, but for one that has taken the place of another
/// by then (`replacingFile()`), which is whole and stays. The finished file has the mode that new files of
/// the process get (its umask), or stays its owner's alone where the system does not say what that is: on Linux without /proc.
///
/// What is there under the name already is left alone, unless `replacingFile()` says otherwise, and is refused in any case where it
/// is not a plain file (a folder, a symbolic link, a device). To leave alone what comes there during the transfer takes a file
/// system with hard links, or one that can rename to a free name only. Where there is neither, the download fails before its body is
/// read, and `replacingFile()` is the way.
///
/// It is the file that was written that gets the name. Where somebody removed or replaced the `.part` file in the meantime, the
/// download fails and nothing gets it.
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
    /// Whether the file stays its owner's alone, as temporary ones do.
    var isTemporary = false

    init(_ place: Place) { self.place = place }

    /// A file of this name.
    public static func file(_ url: URL) -> DownloadDestination { DownloadDestination(.file(url)) }

    /// A file in this folder, under the name that the server suggests, made safe (`ResponseHead.suggestedFileName`).
    public static func folder(_ url: URL) -> DownloadDestination { DownloadDestination(.folder(url)) }

    /// A file of a name of its own in the folder for temporary files, readable by its owner alone. Whoever asks for it removes it; a
    /// call that fails leaves none.
    public static let temporary = {
        var temporary = DownloadDestination(.temporary)
        temporary.isTemporary = true
        return temporary
    }()

    /// The file of a download that broke off, of which only what is missing is fetched where the server still has the same version.
    ///
    /// The request is the one that broke off, made again: with the same URL, and with credentials that are good now. The server is
    /// asked for a range on the condition that nothing has changed (If-Range; RFC 9110, section 13.1.5). It answers with the rest,
    /// which is appended (`Reply.head` has the status 206 then), or with all of it, which is written from the start.
    ///
    /// The call fails with code `file` where the `.part` file is gone or not what it was, and with code `resumption` where the response
    /// is not the rest of it. What was there stays, and `resumption` of the error says how to go on, unless it was not the file. The
    /// options are those of the download that broke off.
    public static func resuming(_ resumption: DownloadResumption) -> DownloadDestination {
        DownloadDestination(.resuming(resumption))
    }

    /// A place that depends on the response. It is asked on a thread where it may block; what it throws fails the download. The
    /// options are those of the place that it gives, but for `resumable()`, which the request has to know and so is for this one.
    public static func chosen(
        _ choose: @escaping @Sendable (ResponseHead) throws -> DownloadDestination
    ) -> DownloadDestination {
        DownloadDestination(.chosen(choose))
    }

    /// The same place, with its missing folders made.
    public func creatingFolders() -> DownloadDestination {
        var copy = self
        copy.createsFolders = true
        return copy
    }

    /// The same place, with a plain file that is there replaced.
    public func replacingFile() -> DownloadDestination {
        var copy = self
        copy.replacesFile = true
        return copy
    }

    /// The same place, for a GET request whose file can be got in several goes.
    ///
    /// A transfer that breaks off, runs out of time, is cancelled or finds the disk full keeps its `.part` file then, and its error
    /// has a `DownloadResumption`. A part that is kept stays until it is resumed or given up (`DownloadResumption.discard()`). That takes an ETag that is not weak, or a Last-Modified in its place that is a minute older
    /// than the response; without them the part is removed, and the error says so. The request asks for the coding
    /// `identity`: ranges are of the bytes as they are sent.
    public func resumable() -> DownloadDestination {
        var copy = self
        copy.isResumable = true
        return copy
    }

    /// What broke off, of a place that goes on with it.
    var resumption: DownloadResumption? {
        if case .resuming(let resumption) = place { resumption } else { nil }
    }

    /// The place of a download that broke off, with its options.
    init(of resumption: DownloadResumption) {
        self = .file(resumption.file).resumable()
        replacesFile = resumption.replacesFile
        isTemporary = resumption.isTemporary
    }

    /// The file that a response goes to, and these options or those of the place that was chosen.
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
    /// `dump.csv`, or in words where the name is not known yet.
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
