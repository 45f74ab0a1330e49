import PatchbayPlatform

/// How a complete part file gets its final name.
extension PartialFile {
    enum Naming: Sendable {
        /// By a rename that replaces a file with the final name.
        case replacing
        /// By a hard link to the open file. The link fails if the final name exists, and never names another file.
        case linking
        /// By a rename that fails if the final name exists.
        case renaming
    }

    private func checkPart(_ file: Int32, _ part: String) throws(FileFailure) {
        guard folder.holds(file, under: part) else {
            throw FileFailure(name: name, .other("its .part file was removed or replaced by another"))
        }
    }

    /// Gives the final name to the written file, and to no other file.
    ///
    /// A rename uses the name of the part file. A process that is allowed to write in the folder can replace the part
    /// file between the check and the rename. With `renaming`, a second check detects the replacement. With `replacing`
    /// there is no second check: the next download of that name can already have replaced the file, which is not an
    /// error.
    func giveName(_ file: Int32, _ part: String) throws(FileFailure) {
        guard naming != .linking else {
            guard calls.link(file, folder.descriptor, name) == 0 else {
                let code = errno
                // A file that has lost its last name can't get another name.
                if code == ENOENT { try checkPart(file, part) }
                throw FileFailure(name: name, .system(code))
            }
            // The file has its final name even if removing the part name fails. The next download of that name removes
            // the part name.
            return removePart(file, part)
        }
        try checkPart(file, part)
        let rename = naming == .replacing ? calls.rename : calls.renameToFree
        guard rename(folder.descriptor, part, name) == 0 else { throw FileFailure(name: name, .system(errno)) }
        guard naming == .replacing || folder.holds(file, under: name) else {
            throw FileFailure(name: name, .other("another file has come in its place"))
        }
    }

    /// Gives the file the mode that a plain new file has in its folder. Until then, only the owner can read the file. A
    /// temporary file keeps its mode, and so does every file if no second file can be made in the folder.
    /// - Returns: whether the mode changed.
    func openToOthers(_ file: Int32) throws(FileFailure) -> Bool {
        var status = stat()
        // The name is that of a part file, so that the next download removes it if this process ends before it does.
        guard !isTemporary, let mode = calls.plainMode(folder.descriptor, PartName.new(of: name)),
            fstat(file, &status) == 0
        else { return false }
        guard status.st_mode & 0o777 != mode else { return false }
        if calls.setMode(file, mode) == 0 { return true }
        // A file system without modes can't store the mode, which is not an error.
        guard [EPERM, EINVAL, ENOSYS, ENOTSUP].contains(errno) else { throw FileFailure(name: name, .system(errno)) }
        return false
    }
}

extension PartialFile.Naming {
    /// Finds out how a file can get a name that must not exist yet: gives the file a second hidden name and removes
    /// that name, before the transfer. The kind of the file system (`statfs`) is not enough, because servers, mount
    /// options, sandboxes and a missing /proc matter as well.
    /// - Throws: `FileFailure` if neither a link nor a rename works. The part file then still has its name.
    init(
        for file: Int32, _ part: String, of name: String, in folder: OpenFolder, _ calls: FileCalls
    ) throws(FileFailure) {
        let second = PartName.new(of: name)
        if calls.link(file, folder.descriptor, second) == 0 {
            // The link can go through /proc, so the code checks that the second name belongs to this file.
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
        // The old name is free, so a plain rename has the effect of `renameToFree`.
        guard
            calls.renameToFree(folder.descriptor, second, part) == 0
                || calls.rename(folder.descriptor, second, part) == 0
        else { throw FileFailure(name: name, .system(errno)) }
        self = .renaming
    }
}

/// The name of a `.part` file: hidden, and in the folder of the final file. The name alone marks a part file, because
/// not every file system can store another mark.
///
/// The name is `.NAME.patchbay-DIGITS.part` while the file is written, and `.NAME.patchbay-DIGITS.resumable.part` after
/// the file was kept. So an unlocked file with the first form was left by a process that has ended.
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

    /// Whether the bytes name a part file of the file `name` that was not kept.
    static func isOpen(_ part: some Collection<UInt8>, of name: String) -> Bool {
        let beginning = beginning(name).utf8
        guard part.starts(with: beginning), part.count == beginning.count + digits + ending.utf8.count else {
            return false
        }
        let rest = part.dropFirst(beginning.count)
        return rest.dropFirst(digits).elementsEqual(ending.utf8)
            && rest.prefix(digits).allSatisfy { (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) }
    }

    /// Whether a name from outside has the form of a part file's name.
    static func isOne(_ part: String) -> Bool {
        part.utf8.first == 0x2E && part.utf8.reversed().starts(with: ending.utf8.reversed())
            && !part.utf8.contains { $0 == 0 || $0 == 0x2F }
    }

    /// The start of the file's name, short enough that the whole name has at most 255 bytes.
    private static func beginning(_ name: String) -> String {
        var text = name[...]
        while text.utf8.count > 200 { text.unicodeScalars.removeLast() }
        return ".\(text).patchbay-"
    }
}
