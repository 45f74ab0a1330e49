import PatchbayPlatform
import PatchbayRegistry

/// A part that outlives the call it was begun by.
extension PartialFile {
    /// Opens the file that the resumption means and no other one, for this call alone.
    static func reopen(
        _ resumption: DownloadResumption, in folder: OpenFolder, _ calls: FileCalls
    ) throws(FileFailure) -> Int32 {
        let name = resumption.file.lastPathComponent
        let file = calls.open(folder.descriptor, resumption.partName)
        guard file >= 0 else {
            let cause: FileFailure.Cause =
                switch errno {
                case ENOENT: .other("its .part file is gone")
                case ELOOP: .other("its .part file is a symbolic link")
                case EISDIR: .other("its .part file is a folder")
                default: .system(errno)
                }
            throw FileFailure(name: name, cause, .resumed)
        }
        do throws(FileFailure) {
            guard lock(file, calls) else {
                throw FileFailure(name: name, .other("another call is at it"), .resumed)
            }
            var status = stat()
            guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, FileIdentity(status) == resumption.mark
            else { throw FileFailure(name: name, .other("its .part file has changed"), .resumed) }
            guard status.st_nlink > 0 else {
                throw FileFailure(name: name, .other("its .part file is gone"), .resumed)
            }
        } catch {
            _ = Self.close(file)
            throw error
        }
        return file
    }

    /// Locks a file until it is closed, or the process is gone; false where another has it. Not every file system has locks.
    static func lock(_ file: Int32, _ calls: FileCalls) -> Bool {
        calls.lock(file) == 0 || errno != EWOULDBLOCK
    }

    /// Closes a file, and lets others open it: a process that is being started may hold a copy of the descriptor for a moment,
    /// which would hold the lock too.
    static func close(_ file: Int32) -> Int32 {
        _ = flock(file, LOCK_UN)
        return SystemCall.close(file)
    }

    var hasName: Bool { state.withLock { $0.fate == .named } }

    var isTouched: Bool { state.withLock(\.isTouched) }

    /// How many bytes are missing at the end; 0 where nobody knows better.
    var missing: Int { state.withLock { max(($0.expected ?? $0.count) - $0.count, 0) } }

    /// Cuts the file off, so that what comes next is written there.
    /// - Parameters:
    ///   - end: where the bytes that are to come have to end, if that is known.
    ///   - expected: how long the file has to be in the end, if that is known.
    func cut(to length: Int, end: Int? = nil, expecting expected: Int? = nil) throws(FileFailure) {
        try state.withLock { (state) throws(FileFailure) in
            guard let file = state.file else { throw FileFailure(name: name, .other("it was given up")) }
            if length < state.count {
                touch(&state)
                guard calls.truncate(file, length) == 0 else { throw FileFailure(name: name, .system(errno)) }
            }
            state.count = length
            (state.end, state.expected) = (end, expected)
        }
    }

    /// To be called before the file changes. From then on no resumption is good for the part, and where this process ends it is one
    /// of those that are abandoned.
    func touch(_ state: inout State) {
        guard !state.isTouched else { return }
        state.isTouched = true
        if PartName.isKept(state.part) { rename(&state, to: PartName.new(of: name)) }
    }

    /// Ends the work on the part, which stays as it is; nil, and gone, where it holds nothing that is safe on disk.
    func keep() -> FileIdentity? {
        let mark = state.withLock { state -> FileIdentity? in
            guard state.fate == .open, state.count > 0, (try? putOnDisk(&state)) != nil, let file = state.file,
                let mark = state.mark, mark.bytes == state.count, folder.holds(file, under: state.part)
            else { return nil }
            rename(&state, to: PartName.kept(state.part))
            state.fate = .kept
            close(&state)
            return mark
        }
        if mark == nil { discard() }
        return mark
    }

    /// Calls the part something else. Where that fails it stays what it was called: a part that is kept may be removed by the next
    /// download of its name then, and one that is abandoned stays.
    private func rename(_ state: inout State, to part: String) {
        guard let file = state.file, folder.holds(file, under: state.part),
            calls.rename(folder.descriptor, state.part, part) == 0
        else { return }
        state.part = part
    }

    /// Takes the finished file away again, for another try of the same call; not a file that has come in its place.
    func withdraw() {
        state.withLock { state in
            guard state.fate == .named, let mark = state.mark, let status = try? folder.status(of: name),
                FileIdentity(status).isSameFile(as: mark)
            else { return }
            state.fate = .gone
            _ = calls.remove(folder.descriptor, name)
        }
    }
}
