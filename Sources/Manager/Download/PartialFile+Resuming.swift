#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

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
            // Until the file is closed, or the process is gone.
            guard flock(file, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK else {
                throw FileFailure(name: name, .other("another call is at it"), .resumed)
            }
            var status = stat()
            guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, FileMark(status) == resumption.mark
            else { throw FileFailure(name: name, .other("its .part file has changed"), .resumed) }
        } catch {
            _ = Self.close(file)
            throw error
        }
        return file
    }

    /// Closes a file, and lets others open it: a process that is being started may hold a copy of the descriptor for a moment,
    /// which would hold the lock too.
    static func close(_ file: Int32) -> Int32 {
        _ = flock(file, LOCK_UN)
        #if canImport(Glibc)
            return Glibc.close(file)
        #else
            return Darwin.close(file)
        #endif
    }

    var hasName: Bool { state.withLock { $0.fate == .named } }

    /// Whether anything was written or cut off by this call.
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
                state.isTouched = true
                guard calls.truncate(file, length) == 0 else { throw FileFailure(name: name, .system(errno)) }
            }
            state.count = length
            (state.end, state.expected) = (end, expected)
        }
    }

    /// Ends the work on the part, which stays as it is; nil, and gone, where it holds nothing that is safe on disk.
    func keep() -> FileMark? {
        let mark = state.withLock { state -> FileMark? in
            guard state.fate == .open, state.count > 0, (try? putOnDisk(&state)) != nil, let mark = state.mark,
                mark.bytes == state.count
            else { return nil }
            state.fate = .kept
            return mark
        }
        if mark == nil { discard() }
        return mark
    }

    /// Takes the finished file away again, for another try of the same call; not a file that has come in its place.
    func withdraw() {
        state.withLock { state in
            guard state.fate == .named, let mark = state.mark, let status = try? folder.status(of: name),
                FileMark(status).isSameFile(as: mark)
            else { return }
            state.fate = .gone
            _ = calls.remove(folder.descriptor, name)
        }
    }
}
