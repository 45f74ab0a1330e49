import PatchbayPlatform
import PatchbayRegistry

/// A file during its download: a hidden `.part` file that gets its final name when it is complete. Otherwise it is
/// removed, or kept for a resumption.
///
/// The file is open and locked until it has its final name, is kept, or is removed.
final class PartialFile: Sendable {
    struct State: Sendable {
        enum Fate: Sendable { case open, named, gone, kept }

        var fate = Fate.open
        /// The descriptor of the file; nil after the file was closed.
        var file: Int32?
        var part: String
        var count = 0
        /// The end of the response's range; nil if it is unknown.
        var end: Int?
        /// Whether the response has more bytes than its range.
        var isExceeded = false
        /// The final length of the file; nil if it is unknown.
        var expected: Int?
        /// Whether the file has changed since it was opened.
        var isTouched: Bool
        /// The identity of the file when it was written to disk.
        var mark: FileIdentity?
        var failure: FileFailure?
    }

    let url: URL
    /// Whether the final name can be that of a file, which is then replaced.
    let replaces: Bool
    let isTemporary: Bool
    let folder: OpenFolder
    let calls: FileCalls
    let state: Guarded<State>
    /// The limit of the process for the size of a file. Writing beyond it raises SIGXFSZ, which ends the process by
    /// default.
    private let largest: Int
    var name: String { url.lastPathComponent }
    var part: String { state.withLock(\.part) }
    /// The URL of the part file, which has the bytes until the file has its final name.
    var partURL: URL { url.deletingLastPathComponent().appendingPathComponent(part, isDirectory: false) }

    /// Creates a part file.
    /// - Throws: `FileFailure`. In this case no part file remains.
    init(_ url: URL, _ options: DownloadDestination, _ calls: FileCalls) throws(FileFailure) {
        let name = url.lastPathComponent
        folder = try OpenFolder(of: url, creates: options.createsFolders)
        // The name of a temporary file is new, so it has no abandoned part files.
        if !options.isTemporary { folder.removeAbandonedParts(of: name, calls) }
        try folder.checkIsFree(name, replaces: options.replacesFile)
        let part = PartName.new(of: name)
        let file = calls.create(folder.descriptor, part)
        guard file >= 0 else { throw FileFailure(name: name, .system(errno)) }
        // Not locked on a file system without locks, where no part file is removed as abandoned.
        _ = calls.lock(file)
        state = Guarded(State(file: file, part: part, isTouched: true))
        self.url = url
        self.calls = calls
        (replaces, isTemporary) = (options.replacesFile, options.isTemporary)
        largest = SystemCall.largestFile
        if !replaces { try tryNaming() }
    }

    /// Opens a kept part file.
    /// - Parameter url: the file of the resumption, as the destination names it.
    /// - Throws: `FileFailure`. In this case the part file is unchanged.
    init(_ url: URL, resuming resumption: DownloadResumption, _ calls: FileCalls) throws(FileFailure) {
        let (name, part) = (url.lastPathComponent, resumption.partName)
        self.url = url
        folder = try OpenFolder(of: url, creates: false)
        try folder.checkIsFree(name, replaces: resumption.replacesFile)
        let file = try Self.reopen(resumption, of: name, in: folder, calls)
        state = Guarded(
            State(file: file, part: part, count: resumption.bytes, isTouched: false, mark: resumption.mark))
        self.calls = calls
        (replaces, isTemporary) = (resumption.replacesFile, resumption.isTemporary)
        largest = SystemCall.largestFile
    }

    deinit {
        let isTouched = state.withLock(\.isTouched)
        if isTouched { discard() } else { letGo() }
    }

    /// The failure of writing the file; nil if no write has failed.
    var failure: FileFailure? { state.withLock(\.failure) }

    /// Whether the response has more bytes than its range: a fault of the server, not of the file.
    var isExceeded: Bool { state.withLock(\.isExceeded) }

    var count: Int { state.withLock(\.count) }

    /// Appends bytes. Returns false if that failed; `failure` then has the reason. Also returns false if the response has
    /// more bytes than its range. The bytes within the range are kept.
    func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
        state.withLock { state in
            guard let file = state.file else { return false }
            do throws(FileFailure) {
                let room = max(0, (state.end ?? .max) - state.count)
                var rest = bytes.prefix(room)
                guard rest.count <= largest - state.count else { throw FileFailure(name: name, .system(EFBIG)) }
                if !rest.isEmpty { touch(&state) }
                while !rest.isEmpty {
                    let written = calls.write(file, UnsafeRawBufferPointer(rebasing: rest))
                    if written < 0, errno == EINTR { continue }
                    guard written > 0 else { throw FileFailure(name: name, .system(written < 0 ? errno : EIO)) }
                    state.count += written
                    rest = rest.dropFirst(written)
                }
                state.isExceeded = bytes.count > room
                return !state.isExceeded
            } catch {
                state.failure = error
                return false
            }
        }
    }

    /// Reads the written file, whatever its name is now.
    func contents() throws(FileFailure) -> ResponseBody {
        try state.withLock { (state) throws(FileFailure) in
            guard let file = state.file else { throw FileFailure(name: name, .other("it is closed"), .read) }
            let body = BodyBuffer(expected: state.count)
            let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
            defer { chunk.deallocate() }
            while body.count < state.count {
                let count = calls.read(file, chunk, body.count)
                if count < 0, errno == EINTR { continue }
                guard count >= 0 else { throw FileFailure(name: name, .system(errno), .read) }
                guard count > 0 else {
                    throw FileFailure(name: name, .other("it is shorter than what was written to it"), .read)
                }
                guard body.append(UnsafeRawBufferPointer(rebasing: chunk[..<min(count, chunk.count)])) else {
                    throw FileFailure(name: name, .other("there is no memory for it"), .read)
                }
            }
            return body.finish()
        }
    }

    /// Writes the file to disk and gives it its final name.
    /// - Parameter isGivenUp: checked before the file gets its name, because the earlier steps can take long.
    func finish(unless isGivenUp: () -> Bool) throws(FileFailure) {
        try state.withLock { (state) throws(FileFailure) in
            if let failure = state.failure { throw failure }
            try putOnDisk(&state)
            guard let file = state.file else { throw FileFailure(name: name, .other("it was given up")) }
            guard state.mark?.bytes == state.count else {
                throw FileFailure(name: name, .other("its .part file was written to by another"))
            }
            let isOpened = try openToOthers(file)
            do throws(FileFailure) {
                guard !isGivenUp() else { throw FileFailure(name: name, .other("it was given up")) }
                try giveName(name, file, &state)
            } catch {
                if isOpened { _ = calls.setMode(file, 0o600) }
                throw error
            }
            state.fate = .named
            close(&state)
        }
    }

    /// Removes the part file, unless it has got its final name, or another file has replaced it.
    func discard() {
        state.withLock { state in
            if state.fate == .open, let file = state.file {
                state.fate = .gone
                removePart(file, state.part)
            }
            close(&state)
        }
    }

    /// Writes the bytes to disk. If the system fails to do so, the file is removed: a second attempt would report
    /// success without writing the bytes.
    func putOnDisk(_ state: inout State) throws(FileFailure) {
        guard let file = state.file else { return }
        state.mark = nil
        var status = stat()
        guard calls.sync(file) == 0, fstat(file, &status) == 0 else {
            let code = errno
            state.fate = .gone
            removePart(file, state.part)
            close(&state)
            throw FileFailure(name: name, .system(code))
        }
        state.mark = FileIdentity(status)
    }

    /// Removes the part file while it is locked, so that no other download takes it for abandoned.
    func removePart(_ file: Int32, _ part: String) {
        if folder.holds(file, under: part) { _ = calls.remove(folder.descriptor, part) }
    }

    /// Closes the file without renaming or removing the part file.
    func letGo() {
        state.withLock { close(&$0) }
    }

    func close(_ state: inout State) {
        if let file = state.file { _ = Self.close(file) }
        state.file = nil
    }
}

/// The identity of a file and its last change: another value means another file or other bytes.
struct FileIdentity: Sendable, Hashable, Codable {
    let device: UInt64
    let inode: UInt64
    let bytes: Int
    let seconds: Int
    let nanoseconds: Int

    init(_ status: stat) {
        device = UInt64(truncatingIfNeeded: status.st_dev)
        inode = UInt64(truncatingIfNeeded: status.st_ino)
        bytes = Int(status.st_size)
        (seconds, nanoseconds) = (status.lastWritten.tv_sec, status.lastWritten.tv_nsec)
    }

    /// Whether both identities belong to one file, possibly with other bytes.
    func isSameFile(as other: FileIdentity) -> Bool { device == other.device && inode == other.inode }
}
