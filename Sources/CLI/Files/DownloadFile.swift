import Patchbay
import PatchbayPlatform

/// The file of a download. With `--continue`, an incomplete download leaves its `.part` file and a note beside the file,
/// `FILE.resume`, with which the next run goes on.
struct DownloadFile: Sendable {
    /// Nil for a new file in the working folder, with the name that the response suggests.
    private let path: String?
    private let isResumable: Bool

    init(_ path: String, _ isResumable: Bool) { (self.path, self.isResumable) = (path, isResumable) }

    init(inWorkingFolder: ()) { (path, isResumable) = (nil, false) }

    private var note: String? { isResumable ? path.map { $0 + ".resume" } : nil }

    /// The destination: the rest of an incomplete download if its note is there.
    func destination(_ console: Console) throws(SessionError) -> DownloadDestination {
        guard let path else { return .folder(URL(filePath: ".")) }
        let file = DownloadDestination.file(URL(filePath: path)).replacingFile()
        guard let note else { return file }
        guard let bytes = try? InputFile.read(note, limit: 65_536), let rest = Self.resumption(bytes),
            rest.file.lastPathComponent == URL(filePath: path).lastPathComponent,
            access(rest.part.path(percentEncoded: false), R_OK) == 0
        else {
            if access(path, F_OK) == 0 { console.remark("\(path) is no incomplete download, so it starts anew") }
            return file.resumable()
        }
        console.remark("continues after \(ByteCount(rest.bytes))")
        return .resuming(rest)
    }

    private static func resumption(_ bytes: [UInt8]) -> DownloadResumption? {
        try? JSONDecoder().decode(DownloadResumption.self, from: Data(bytes))
    }

    /// Writes the note for the next run. Without a resumption, the server gave nothing to hold the rest to, and the
    /// incomplete bytes are gone; or the part file was changed, and an old note would make each next run fail, too.
    func keep(_ error: SessionError, _ console: Console) {
        guard let note else { return }
        guard error.code != .resumption else {
            return console.note("\(note) belongs to another request or version; remove it to start anew")
        }
        guard let resumption = error.resumption, let bytes = try? JSONEncoder().encode(resumption),
            let text = String(validating: bytes, as: UTF8.self)
        else {
            if error.code == .file, unlink(note) == 0 { console.note("the same command begins again") }
            return
        }
        do throws(CommandFailure) {
            unlink(note)
            try OutputFile.writeOrFail(text, to: note)
            console.note("\(ByteCount(resumption.bytes)) are kept; the same command goes on from there")
        } catch {
            console.complain(error.message)
        }
    }

    /// Removes the note of a finished download.
    func forget() { if let note { unlink(note) } }
}
