import Patchbay
import PatchbayPlatform

/// The file of a download. With `--continue`, an incomplete download leaves its `.part` file and a note beside the file,
/// `FILE.resume`, with which the next run goes on.
struct DownloadFile: Sendable {
    /// Nil for a new file in the working folder, with the name that the response suggests.
    let path: String?
    let isResumable: Bool

    /// The name, the size and the time of a saved file.
    func summary(of reply: Reply<URL>) -> String {
        var status = stat()
        let isThere = stat(reply.value.path(percentEncoded: false), &status) == 0
        let size = isThere ? [ProgressLine.size(Double(status.st_size))] : []
        let taken = reply.timeline.serialized
        let seconds = (taken / .seconds(0.1)).rounded() / 10
        let time = taken < .seconds(1) ? Transcript.milliseconds(taken) : "\(seconds) s"
        let name = TerminalText.line(path ?? reply.value.lastPathComponent)
        return ([name] + size + [time]).joined(separator: ", ")
    }

    private var note: String? { isResumable ? path.map { $0 + ".resume" } : nil }

    /// The destination: the rest of an incomplete download if its note is there. The note is only believed about a part
    /// file in the folder of the file, and if both are files of this user.
    func destination(_ console: Console) throws(SessionError) -> DownloadDestination {
        guard let path else { return .underSuggestedName }
        guard let note else { return file(path) }
        guard let rest = resumption(of: path) else {
            if access(note, F_OK) == 0 {
                let isOwn = Self.isOwn(note) && noted.map { Self.isOwn($0.part.path) } ?? true
                let reason = isOwn ? "names no part of this file" : "or its part is not a file of yours"
                console.note("\(note) \(reason), so the download starts anew")
            } else if access(path, F_OK) == 0 {
                console.remark("\(path) is no incomplete download, so it starts anew")
            }
            return file(path).resumable()
        }
        console.remark("asks for the rest, after \(ByteCount(rest.bytes))")
        return file(path).resuming(rest)
    }

    private func file(_ path: String) -> DownloadDestination { .file(.file(at: path)).replacingFile() }

    /// The interrupted download of the note; nil if there is none, if it is of another file, or if its part file is not
    /// this user's.
    private func resumption(of path: String) -> DownloadResumption? {
        guard let rest = noted, file(path).accepts(rest), case .bytes = FileReading.own(rest.part.path, upTo: 0)
        else { return nil }
        return rest
    }

    /// Whether the file at the path is neither a link nor a file of another user.
    private static func isOwn(_ path: String) -> Bool {
        switch FileReading.own(path, upTo: 0) {
        case .failed(EPERM), .failed(ELOOP): false
        default: true
        }
    }

    private var noted: DownloadResumption? {
        guard let note, case .bytes(let bytes) = FileReading.own(note, upTo: 65_536) else { return nil }
        return try? JSONDecoder().decode(DownloadResumption.self, from: Data(bytes))
    }

    /// Writes the note for the next run, or removes it if there is nothing to continue.
    func keep(_ error: SessionError, _ console: Console) {
        guard let note, let path else { return }
        guard let rest = error.resumption else {
            // A disk that does not answer can have kept the part file.
            guard error.code == .file || resumption(of: path) == nil, forget() else { return }
            return console.note("the same command begins again")
        }
        do throws(CommandFailure) {
            guard let bytes = try? JSONEncoder().encode(rest), let text = String(validating: bytes, as: UTF8.self)
            else { return }
            forget()
            try OutputFile.writeOrFail(text, to: note)
            console.note(
                error.code == .resumption
                    ? "remove \(note) and \(rest.part.relativePath) to begin again"
                    : "\(ByteCount(rest.bytes)) are kept; the same command goes on from there")
        } catch {
            rest.discard()
            console.complain("\(error.message); the incomplete file is removed")
        }
    }

    /// Removes the note, but not a file of the user's with that name. Returns whether there was a note.
    @discardableResult func forget() -> Bool {
        guard let note, noted != nil else { return false }
        return unlink(note) == 0
    }
}

extension DownloadDestination {
    /// A new file in the working folder. A server must not choose the name of a manifest or of a note, which a later run
    /// would read.
    fileprivate static let underSuggestedName = DownloadDestination.chosen { head in
        let name = head.suggestedFileName
        let isRead = name.lowercased() == ManifestChoice.usual.lowercased() || name.hasSuffix(".resume")
        return .file(.file(at: isRead ? "download-" + name : name))
    }
}
