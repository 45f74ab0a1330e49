import PatchbayPlatform

/// How a finished part gets its name.
extension PartialFile {
    enum Naming: Sendable {
        /// In place of a file of that name.
        case replacing
        /// By a link of the open file, which fails where the name is taken, and by no name that another file could have.
        case linking
        /// By a rename that fails where the name is taken.
        case renaming
    }

    /// Throws where the part does not have its name any more.
    private func checkPart(_ file: Int32, _ part: String) throws(FileFailure) {
        guard folder.holds(file, under: part) else {
            throw FileFailure(name: name, .other("its .part file was removed or replaced by another"))
        }
    }

    /// Gives the file that was written its name, and no other file.
    ///
    /// A rename goes by the part's name. Whoever may write in the folder can swap the part between the look and the rename: where
    /// nothing may be replaced, a second look finds that out. Where the file replaces another there is no second look, since the
    /// next download of that name may have replaced it in turn, which is no error.
    func giveName(_ file: Int32, _ part: String) throws(FileFailure) {
        guard naming != .linking else {
            guard calls.link(file, folder.descriptor, name) == 0 else {
                let code = errno
                // A file whose last name is gone can get no other.
                if code == ENOENT { try checkPart(file, part) }
                throw FileFailure(name: name, .system(code))
            }
            // It has its name, whatever comes of this; the next download of that name tries again.
            return removePart(file, part)
        }
        try checkPart(file, part)
        let rename = naming == .replacing ? calls.rename : calls.renameToFree
        guard rename(folder.descriptor, part, name) == 0 else { throw FileFailure(name: name, .system(errno)) }
        guard naming == .replacing || folder.holds(file, under: name) else {
            throw FileFailure(name: name, .other("another file has come in its place"))
        }
    }

    /// Gives the file the mode that new files of this process get. Until here it was its owner's alone, and it stays so where it is
    /// a temporary one, or the system does not say what that mode is.
    /// - Returns: whether the mode is another now.
    func openToOthers(_ file: Int32) throws(FileFailure) -> Bool {
        var status = stat()
        guard !isTemporary, let umask = calls.umask(), fstat(file, &status) == 0 else { return false }
        let mode = 0o666 & ~umask
        guard status.st_mode & 0o777 != mode else { return false }
        if calls.setMode(file, mode) == 0 { return true }
        // A file system without modes gives its files one of its own.
        guard [EPERM, EINVAL, ENOSYS, ENOTSUP].contains(errno) else { throw FileFailure(name: name, .system(errno)) }
        return false
    }
}

extension PartialFile.Naming {
    /// How a file gets a name that has to be free: found out by giving it a second hidden name and taking that away, before the
    /// transfer. What the kind of the file system says (`statfs`) would not do: servers, mount options, sandboxes and a missing
    /// /proc have a say too.
    /// - Throws: `FileFailure` where there is no way. The part has its name then.
    init(
        for file: Int32, _ part: String, of name: String, in folder: OpenFolder, _ calls: FileCalls
    ) throws(FileFailure) {
        let second = PartName.new(of: name)
        if calls.link(file, folder.descriptor, second) == 0 {
            // What /proc says is believed only where it is true.
            let isLinked = folder.holds(file, under: second)
            guard calls.remove(folder.descriptor, second) == 0 else { throw FileFailure(name: name, .system(errno)) }
            if isLinked {
                self = .linking
                return
            }
        }
        guard calls.renameToFree(folder.descriptor, part, second) == 0 else {
            guard [EPERM, EACCES, EINVAL, ENOSYS, ENOTSUP].contains(errno) else {
                throw FileFailure(name: name, .system(errno))
            }
            throw FileFailure(
                name: name,
                .other("its file system can neither link nor rename to a free name only; replacingFile() needs neither")
            )
        }
        // The name is one that nobody has, so the other rename does as well.
        guard
            calls.renameToFree(folder.descriptor, second, part) == 0
                || calls.rename(folder.descriptor, second, part) == 0
        else { throw FileFailure(name: name, .system(errno)) }
        self = .renaming
    }
}
