import PatchbayPlatform
import PatchbayRegistry

/// Part files that stay after their call, for a resumption.
extension PartialFile {
    /// Opens and locks the part file of the resumption. Throws if the part file was changed or replaced, or belongs to
    /// another user: who owns a file chooses its bytes, and keeps it under its final name.
    static func reopen(
        _ resumption: DownloadResumption, of name: String, in folder: OpenFolder, _ calls: FileCalls
    ) throws(FileFailure) -> Int32 {
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
            // A file system without locks fails with another error.
            guard calls.lock(file) == 0 || errno != EWOULDBLOCK else {
                throw FileFailure(name: name, .inUse, .resumed)
            }
            var status = stat()
            guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, FileIdentity(status) == resumption.mark
            else { throw FileFailure(name: name, .other("its .part file has changed"), .resumed) }
            guard status.st_uid == geteuid() else {
                throw FileFailure(name: name, .other("its .part file belongs to another user"), .resumed)
            }
            guard status.st_nlink > 0 else {
                throw FileFailure(name: name, .other("its .part file is gone"), .resumed)
            }
        } catch {
            _ = Self.close(file)
            throw error
        }
        return file
    }

    /// Unlocks and closes a file. Closing alone is not enough: a process that is being started can hold a copy of the
    /// descriptor, and with it the lock, for a moment.
    static func close(_ file: Int32) -> Int32 {
        _ = flock(file, LOCK_UN)
        return SystemCall.close(file)
    }

    /// The number of bytes that are missing at the end; 0 if that number is unknown.
    var missing: Int { max((expected ?? count) - count, 0) }

    /// Truncates the file to `length`, so that the next bytes are written at that offset.
    /// - Parameters:
    ///   - end: the end of the range of the response, if it is known.
    ///   - expected: the final length of the file, if it is known.
    mutating func cut(to length: Int, end: Int? = nil, expecting expected: Int? = nil) throws(FileFailure) {
        guard let file else { throw failed(.other("it was given up")) }
        if length < count {
            touch()
            guard calls.truncate(file, length) == 0 else { throw failed(.system(errno)) }
        }
        (count, self.end, self.expected) = (length, end, expected)
    }

    /// Called before the file changes. From then on, no earlier resumption is valid for the part file, and the part
    /// file counts as abandoned if the process ends.
    mutating func touch() {
        guard !isTouched else { return }
        isTouched = true
        if PartName.isKept(part) { rename(to: PartName.new(of: name)) }
    }

    /// Closes the part file and keeps it. If the part file is empty or not safely on disk, removes it and returns nil.
    mutating func keep() -> FileIdentity? {
        guard fate == .open, count > 0, (try? putOnDisk()) != nil, let file, let mark, mark.bytes == count,
            folder.holds(file, under: part)
        else {
            discard()
            return nil
        }
        rename(to: PartName.kept(part))
        fate = .kept
        close()
        return mark
    }

    /// Renames the part file. If that fails, the part file keeps its name. A download of that name can then remove a
    /// part file that was to be kept, a day later, and leaves a part file that was abandoned.
    private mutating func rename(to new: String) {
        guard let file, folder.holds(file, under: part), calls.rename(folder.descriptor, part, new) == 0 else { return }
        part = new
    }

    /// Removes the file that got its final name, but not a file that has replaced it since. A file that may have replaced
    /// another one stays: a complete new file is better than no file. A temporary name is new, so that nothing was there.
    mutating func withdraw() {
        guard !replaces || isTemporary, fate == .named, let mark, let status = try? folder.status(of: name),
            FileIdentity(status).isSameFile(as: mark)
        else { return }
        fate = .gone
        _ = calls.remove(folder.descriptor, name)
    }
}
