import PatchbayPlatform
import PatchbayRegistry

/// A file on its way: a hidden `.part` file that gets its name when it is complete, and is removed or kept for later when it
/// is not.
///
/// It is locked for as long as it is open, and open until it has its name, is kept, or is gone.
final class PartialFile: Sendable {
    struct State: Sendable {
        enum Fate: Sendable { case open, named, gone, kept }

        var fate = Fate.open
        /// Nil once it is closed.
        var file: Int32?
        var part: String
        var count = 0
        /// Where the bytes of the response have to end; nil where nobody knows.
        var end: Int?
        /// How long the file has to be; nil where nobody knows.
        var expected: Int?
        /// Whether the file is not any more what it was when it was opened.
        var isTouched: Bool
        /// What was on disk when it was put there.
        var mark: FileIdentity?
        var failure: FileFailure?
    }

    let url: URL
    let naming: Naming
    let isTemporary: Bool
    let folder: OpenFolder
    let calls: FileCalls
    let state: Guarded<State>
    /// The largest file that this process may write. To write more ends it with a signal, unless it minds that signal.
    private let largest: Int
    var name: String { url.lastPathComponent }
    var part: String { state.withLock(\.part) }
    /// Where the bytes are until the file has its name.
    var partURL: URL { url.deletingLastPathComponent().appendingPathComponent(part, isDirectory: false) }
    var replaces: Bool { naming == .replacing }

    /// A new one.
    /// - Throws: `FileFailure`, and then nothing has been made.
    init(_ url: URL, _ options: DownloadDestination, _ calls: FileCalls) throws(FileFailure) {
        let name = url.lastPathComponent
        folder = try OpenFolder(of: url, creates: options.createsFolders)
        // No file had the name of a temporary one before.
        if !options.isTemporary { folder.removeAbandonedParts(of: name, calls) }
        try folder.checkIsFree(name, replaces: options.replacesFile)
        let (file, part) = try Self.create(name, in: folder, calls)
        do throws(FileFailure) {
            naming = try options.replacesFile ? .replacing : Naming(for: file, part, of: name, in: folder, calls)
        } catch {
            _ = calls.remove(folder.descriptor, part)
            _ = Self.close(file)
            throw error
        }
        state = Guarded(State(file: file, part: part, isTouched: true))
        self.url = url
        self.calls = calls
        isTemporary = options.isTemporary
        largest = SystemCall.largestFile
    }

    /// One that was kept.
    /// - Throws: `FileFailure`, and then nothing has changed.
    init(resuming resumption: DownloadResumption, _ calls: FileCalls) throws(FileFailure) {
        let (name, part) = (resumption.file.lastPathComponent, resumption.partName)
        url = resumption.file
        folder = try OpenFolder(of: url, creates: false)
        try folder.checkIsFree(name, replaces: resumption.replacesFile)
        let file = try Self.reopen(resumption, in: folder, calls)
        do throws(FileFailure) {
            naming = try resumption.replacesFile ? .replacing : Naming(for: file, part, of: name, in: folder, calls)
        } catch {
            _ = Self.close(file)
            throw error
        }
        state = Guarded(
            State(file: file, part: part, count: resumption.bytes, isTouched: false, mark: resumption.mark))
        self.calls = calls
        isTemporary = resumption.isTemporary
        largest = SystemCall.largestFile
    }

    deinit {
        let isTouched = state.withLock(\.isTouched)
        if isTouched { discard() } else { letGo() }
    }

    /// Makes a part and locks it.
    private static func create(
        _ name: String, in folder: OpenFolder, _ calls: FileCalls
    ) throws(FileFailure) -> (file: Int32, part: String) {
        // Until the lock is there, another download of that name takes the part for abandoned, and may remove it.
        for _ in 0..<16 {
            let part = PartName.new(of: name)
            let file = calls.create(folder.descriptor, part)
            guard file >= 0 else { throw FileFailure(name: name, .system(errno)) }
            if lock(file, calls), folder.holds(file, under: part) { return (file, part) }
            _ = close(file)
        }
        throw FileFailure(name: name, .other("its .part file is removed as soon as it is made"))
    }

    /// What went wrong while writing; nil so far.
    var failure: FileFailure? { state.withLock(\.failure) }

    var count: Int { state.withLock(\.count) }

    /// Adds the bytes; false where that failed, and `failure` says why. Of bytes that go beyond the range, those that belong to it are
    /// kept.
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
                guard bytes.count <= room else {
                    throw FileFailure(name: name, .other("the response has more bytes than its Content-Range says"))
                }
                return true
            } catch {
                state.failure = error
                return false
            }
        }
    }

    /// The bytes, read from the file that was written, whatever has become of its name.
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

    /// Puts the file on disk and gives it its name.
    /// - Parameter isGivenUp: asked before the name is given, for what comes before can take long.
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
                try giveName(file, state.part)
            } catch {
                if isOpened { _ = calls.setMode(file, 0o600) }
                throw error
            }
            state.fate = .named
            close(&state)
        }
    }

    /// Removes the part, unless it has become the file, or another file has come in its place.
    func discard() {
        state.withLock { state in
            if state.fate == .open, let file = state.file {
                state.fate = .gone
                removePart(file, state.part)
            }
            close(&state)
        }
    }

    /// Puts the bytes on disk. A file that the system cannot put there is removed: to ask a second time gives another answer and the
    /// same bytes.
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

    /// Removes the part while it is locked, and so before another may take it for abandoned.
    func removePart(_ file: Int32, _ part: String) {
        if folder.holds(file, under: part) { _ = calls.remove(folder.descriptor, part) }
    }

    /// Closes the file, and leaves the part as it is.
    func letGo() {
        state.withLock { close(&$0) }
    }

    func close(_ state: inout State) {
        if let file = state.file { _ = Self.close(file) }
        state.file = nil
    }
}

/// Which file it is and when it was last written: another mark, another file or other bytes.
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

    /// Whether this is the same file, whatever was written to it.
    func isSameFile(as other: FileIdentity) -> Bool { device == other.device && inode == other.inode }
}
