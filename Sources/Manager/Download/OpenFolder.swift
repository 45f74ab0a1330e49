#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The folder that a file goes into, held open: swapping its path for another has no effect.
final class OpenFolder: Sendable {
    let descriptor: Int32

    /// The folder of a file.
    /// - Parameter creates: whether folders that are missing are made.
    init(of file: URL, creates: Bool) throws(FileFailure) {
        let name = file.lastPathComponent
        guard file.isFileURL, !["", ".", "..", "/"].contains(name) else {
            throw FileFailure(name: name, .other("the URL names no file"))
        }
        let path = file.deletingLastPathComponent().path(percentEncoded: false)
        if creates {
            do {
                try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            } catch {
                throw FileFailure(name: name, .other("its folder could not be made"))
            }
        }
        descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileFailure(name: name, .system(errno)) }
    }

    deinit { close(descriptor) }

    /// What is in the folder under a name; nil where nothing is. A symbolic link is a thing of its own.
    func status(of name: String) throws(FileFailure) -> stat? {
        var status = stat()
        if fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 { return status }
        if errno == ENOENT { return nil }
        throw FileFailure(name: name, .system(errno))
    }

    /// Throws where a file cannot get the name. Better before the transfer than after: where the name is too long, for one.
    func checkIsFree(_ name: String, replaces: Bool) throws(FileFailure) {
        guard let status = try status(of: name) else { return }
        switch status.st_mode & S_IFMT {
        case S_IFREG where replaces: return
        case S_IFREG: throw FileFailure(name: name, .system(EEXIST))
        case S_IFDIR: throw FileFailure(name: name, .other("there is a folder of that name"))
        case S_IFLNK: throw FileFailure(name: name, .other("there is a symbolic link of that name"))
        default: throw FileFailure(name: name, .other("what is there is not a plain file"))
        }
    }
}
