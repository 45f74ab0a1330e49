import PatchbayPlatform
import PatchbayRegistry

/// A file during its download: a hidden `.part` file that gets its final name when it is complete. Otherwise it is
/// removed, or kept for a resumption.
///
/// The file is open and locked until it has its final name, is kept, or is removed. A value, because only one piece of
/// work at a time changes it, and no lock is held during its system calls. Its owner calls `letGo` or `discard` at last.
struct PartialFile: Sendable {
    enum Fate: Sendable { case open, named, gone, kept }

    let url: URL
    /// Whether the final name can be that of a file, which is then replaced.
    let replaces: Bool
    let isTemporary: Bool
    let folder: OpenFolder
    let calls: FileCalls
    var fate = Fate.open
    /// The descriptor of the file; nil after the file was closed.
    var file: Int32?
    /// The name of the part file.
    var part: String
    var count = 0
    /// The end of the response's range; nil if it is unknown.
    var end: Int?
    /// Whether the response has more bytes than its range: a fault of the server, not of the file.
    var isExceeded = false
    /// The final length of the file; nil if it is unknown.
    var expected: Int?
    /// Whether the file has changed since it was opened.
    var isTouched: Bool
    /// The identity of the file when it was written to disk.
    var mark: FileIdentity?
    /// The failure of writing the file; nil if no write has failed.
    private(set) var failure: FileFailure?
    /// The limit of the process for the size of a file. Writing beyond it raises SIGXFSZ, which ends the process by
    /// default.
    private let largest: Int
    var name: String { url.lastPathComponent }
    /// The URL of the part file, which has the bytes until the file has its final name.
    var partURL: URL { url.deletingLastPathComponent().appendingPathComponent(part, isDirectory: false) }

    func failed(_ cause: FileFailure.Cause, _ act: FileFailure.Act = .written) -> FileFailure {
        FileFailure(name: name, cause, act)
    }

    /// Creates a part file.
    /// - Throws: `FileFailure`. In this case no part file remains.
    init(_ url: URL, _ options: DownloadDestination, _ calls: FileCalls) throws(FileFailure) {
        let name = url.lastPathComponent
        folder = try OpenFolder(of: url, creates: options.createsFolders)
        // The name of a temporary file is new, so it has no abandoned part files.
        if !options.isTemporary { folder.removeAbandonedParts(of: name, calls) }
        try folder.checkIsFree(name, replaces: options.replacesFile)
        part = PartName.new(of: name)
        let file = calls.create(folder.descriptor, part)
        guard file >= 0 else { throw FileFailure(name: name, .system(errno)) }
        // Not locked on a file system without locks, where no part file is removed as abandoned.
        _ = calls.lock(file)
        (self.url, self.calls, self.file, isTouched) = (url, calls, file, true)
        (replaces, isTemporary) = (options.replacesFile, options.isTemporary)
        largest = SystemCall.largestFile
        guard !replaces else { return }
        do throws(FileFailure) { try tryNaming() } catch {
            discard()
            throw error
        }
    }

    /// Opens a kept part file.
    /// - Parameter url: the file of the resumption, as the destination names it.
    /// - Throws: `FileFailure`. In this case the part file is unchanged.
    init(_ url: URL, resuming resumption: DownloadResumption, _ calls: FileCalls) throws(FileFailure) {
        folder = try OpenFolder(of: url, creates: false)
        try folder.checkIsFree(url.lastPathComponent, replaces: resumption.replacesFile)
        file = try Self.reopen(resumption, of: url.lastPathComponent, in: folder, calls)
        (self.url, self.calls, part, isTouched) = (url, calls, resumption.partName, false)
        (count, mark) = (resumption.bytes, resumption.mark)
        (replaces, isTemporary) = (resumption.replacesFile, resumption.isTemporary)
        largest = SystemCall.largestFile
    }

    /// Appends bytes. Returns false if that failed; `failure` then has the reason. Also returns false if the response has
    /// more bytes than its range. The bytes within the range are kept.
    mutating func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let file else { return false }
        do throws(FileFailure) {
            let room = max(0, (end ?? .max) - count)
            var rest = bytes.prefix(room)
            guard rest.count <= largest - count else { throw failed(.system(EFBIG)) }
            if !rest.isEmpty { touch() }
            while !rest.isEmpty {
                let written = calls.write(file, UnsafeRawBufferPointer(rebasing: rest))
                if written < 0, errno == EINTR { continue }
                guard written > 0 else { throw failed(.system(written < 0 ? errno : EIO)) }
                count += written
                rest = rest.dropFirst(written)
            }
            isExceeded = bytes.count > room
            return !isExceeded
        } catch {
            failure = error
            return false
        }
    }

    /// Reads the written file, whatever its name is now.
    func contents() throws(FileFailure) -> ResponseBody {
        guard let file else { throw failed(.other("it is closed"), .read) }
        let body = BodyBuffer(expected: count)
        let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
        defer { chunk.deallocate() }
        while body.count < count {
            let read = calls.read(file, chunk, body.count)
            if read < 0, errno == EINTR { continue }
            guard read >= 0 else { throw failed(.system(errno), .read) }
            guard read > 0 else { throw failed(.other("it is shorter than what was written to it"), .read) }
            guard body.append(UnsafeRawBufferPointer(rebasing: chunk[..<min(read, chunk.count)])) else {
                throw failed(.other("there is no memory for it"), .read)
            }
        }
        return body.finish()
    }

    /// Writes the file to disk and gives it its final name.
    /// - Parameter isGivenUp: checked before the file gets its name, because the earlier steps can take long.
    mutating func finish(unless isGivenUp: () -> Bool) throws(FileFailure) {
        if let failure { throw failure }
        try putOnDisk()
        guard let file else { throw failed(.other("it was given up")) }
        guard mark?.bytes == count else { throw failed(.other("its .part file was written to by another")) }
        let isOpened = try openToOthers(file)
        do throws(FileFailure) {
            guard !isGivenUp() else { throw failed(.other("it was given up")) }
            try giveName(name, file)
        } catch {
            if isOpened { _ = calls.setMode(file, 0o600) }
            throw error
        }
        fate = .named
        close()
    }

    /// Removes the part file, unless it has got its final name, or another file has replaced it.
    mutating func discard() {
        if fate == .open, let file {
            fate = .gone
            removePart(file)
        }
        close()
    }

    /// Writes the bytes to disk. If the system fails to do so, the file is removed: a second attempt would report
    /// success without writing the bytes.
    mutating func putOnDisk() throws(FileFailure) {
        guard let file else { return }
        mark = nil
        var status = stat()
        guard calls.sync(file) == 0, fstat(file, &status) == 0 else {
            let code = errno
            fate = .gone
            removePart(file)
            close()
            throw failed(.system(code))
        }
        mark = FileIdentity(status)
    }

    /// Removes the part file while it is locked, so that no other download takes it for abandoned.
    func removePart(_ file: Int32) {
        if folder.holds(file, under: part) { _ = calls.remove(folder.descriptor, part) }
    }

    /// Closes the file. The part file stays only if it was not changed, was kept or has its final name.
    mutating func letGo() {
        if isTouched { discard() } else { close() }
    }

    /// Closes the file without renaming or removing the part file.
    mutating func close() {
        if let file { _ = Self.close(file) }
        file = nil
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
