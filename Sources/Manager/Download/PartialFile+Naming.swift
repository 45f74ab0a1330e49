import PatchbayPlatform

/// How a part file gets a name.
extension PartialFile {
    /// Gives the open file another name, and takes its old name away. No other file gets the name, and unless the
    /// destination replaces a file, the name must not exist yet.
    ///
    /// A hard link to the open file does both. Where the file system or the system has none, a rename does, but it uses
    /// the name of the part file: a process that is allowed to write in the folder can replace the part file between
    /// the check and the rename. A second check detects that, except where a file is replaced: the next download of that
    /// name can already have replaced it again, which is not an error.
    mutating func giveName(_ new: String, _ file: Int32) throws(FileFailure) {
        if !replaces, calls.link(file, folder.descriptor, new) == 0 {
            // The file has its new name even if removing the old one fails. A later download removes it.
            removePart(file)
        } else {
            guard replaces || errno != EEXIST else { throw failed(.system(EEXIST)) }
            guard folder.holds(file, under: part) else {
                throw failed(.other("its .part file was removed or replaced by another"))
            }
            let rename = replaces ? calls.rename : calls.renameToFree
            guard rename(folder.descriptor, part, new) == 0 else { throw failed(.system(errno)) }
            guard replaces || folder.holds(file, under: new) else {
                throw failed(.other("another file has come in its place"))
            }
        }
        part = new
    }

    /// Gives a new part file a second hidden name, so that a file system on which the finished file could not get its
    /// name is found out before the transfer. The kind of the file system (`statfs`) does not tell: servers, mount
    /// options, sandboxes and a missing /proc matter as well.
    mutating func tryNaming() throws(FileFailure) {
        guard let file else { return }
        do throws(FileFailure) {
            try giveName(PartName.new(of: name), file)
            // The link can go through /proc.
            if folder.holds(file, under: part) { return }
        } catch {
            guard case .system(let code) = error.cause, [EPERM, EACCES, EINVAL, ENOSYS, ENOTSUP].contains(code)
            else { throw error }
        }
        let words = "its file system can neither link nor rename to a free name only; replacingFile() needs neither"
        throw failed(.other(words))
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
        guard [EPERM, EINVAL, ENOSYS, ENOTSUP].contains(errno) else { throw failed(.system(errno)) }
        return false
    }
}

/// The name of a `.part` file: hidden, and in the folder of the final file. The name alone marks a part file, because
/// not every file system can store another mark.
///
/// The name is `.NAME.patchbay-DIGITS.part` while the file is written, and `.NAME.patchbay-DIGITS.resumable.part` after
/// the file was kept. So an unlocked file with the first form is new, or was left by a process that has ended.
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
