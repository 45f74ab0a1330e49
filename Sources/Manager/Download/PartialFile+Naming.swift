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

/// What a `.part` file is called: hidden, beside its file, and known by its name alone, since not every file system has more.
///
/// `.NAME.patchbay-DIGITS.part` while it is written, and `.NAME.patchbay-DIGITS.resumable.part` when a resumption is good for it.
/// So what has the first form and is not locked was left by a process that is no more.
enum PartName {
    private static let digits = 13
    private static let ending = ".part"
    private static let keptEnding = ".resumable.part"

    static func new(of name: String) -> String {
        let number = String(UInt64.random(in: .min ... .max), radix: 36)
        return beginning(name) + String(repeating: "0", count: digits - number.utf8.count) + number + ending
    }

    static func kept(_ part: String) -> String {
        isKept(part) ? part : String(part.dropLast(ending.utf8.count)) + keptEnding
    }

    static func isKept(_ part: String) -> Bool { part.utf8.reversed().starts(with: keptEnding.utf8.reversed()) }

    /// Whether the bytes are the name of a part of this file that nobody kept.
    static func isOpen(_ part: some Collection<UInt8>, of name: String) -> Bool {
        let beginning = beginning(name).utf8
        guard part.starts(with: beginning), part.count == beginning.count + digits + ending.utf8.count else {
            return false
        }
        let rest = part.dropFirst(beginning.count)
        return rest.dropFirst(digits).elementsEqual(ending.utf8)
            && rest.prefix(digits).allSatisfy { (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) }
    }

    /// Whether a name that comes from elsewhere is that of a part.
    static func isOne(_ part: String) -> Bool {
        part.utf8.first == 0x2E && part.utf8.reversed().starts(with: ending.utf8.reversed())
            && !part.utf8.contains { $0 == 0 || $0 == 0x2F }
    }

    /// With so much of the file's name that 255 bytes are enough for all.
    private static func beginning(_ name: String) -> String {
        var text = name[...]
        while text.utf8.count > 200 { text.unicodeScalars.removeLast() }
        return ".\(text).patchbay-"
    }
}
