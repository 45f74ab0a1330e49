import PatchbayRegistry

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

/// A file on its way: a hidden `.part` file that gets its name when it is complete, and is removed when it never is.
///
/// Everything is done relative to the folder that was opened first, so that swapping the path for another has no effect.
final class PartialFile: Sendable {
    private struct State: Sendable {
        var isOpen = true
        /// There is no part any more: it has its name, or is gone.
        var isFinished = false
        var failure: FileFailure?
    }

    let url: URL
    private let name: String
    private let part: String
    private let replaces: Bool
    private let folder: Int32
    private let file: Int32
    private let calls: FileCalls
    private let state = Guarded(State())

    /// - Throws: `FileFailure`, and then nothing has been made.
    init(_ url: URL, _ options: DownloadDestination, _ calls: FileCalls) throws(FileFailure) {
        let name = url.lastPathComponent
        guard url.isFileURL, !["", ".", "..", "/"].contains(name) else {
            throw FileFailure(name: name, .other("the URL names no file"))
        }
        let parent = url.deletingLastPathComponent().path(percentEncoded: false)
        if options.createsFolders { try Self.makeFolders(parent, for: name) }
        let folder = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw FileFailure(name: name, .system(errno)) }
        let part = ".\(Self.prefix(of: name)).\(String(UInt64.random(in: .min ... .max), radix: 36)).part"
        do throws(FileFailure) {
            try Self.check(name, in: folder, replaces: options.replacesFile)
            let file = calls.create(folder, part)
            guard file >= 0 else { throw FileFailure(name: name, .system(errno)) }
            self.file = file
        } catch {
            close(folder)
            throw error
        }
        self.url = url
        self.name = name
        self.part = part
        self.folder = folder
        self.calls = calls
        replaces = options.replacesFile
    }

    deinit {
        discard()
        close(folder)
    }

    /// Removes the part, unless it has become the file. Called as soon as it is known that it never will, since a process may
    /// end before the last reference goes.
    func discard() {
        state.withLock { state in
            if state.isOpen { close(file) }
            state.isOpen = false
            guard !state.isFinished else { return }
            state.isFinished = true
            _ = calls.remove(folder, part)
        }
    }

    /// What went wrong while writing; nil so far.
    var failure: FileFailure? { state.withLock(\.failure) }

    /// Adds the bytes; false where that failed, and `failure` says why.
    func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = calls.write(file, UnsafeRawBufferPointer(rebasing: rest))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                let code = count < 0 ? errno : EIO
                state.withLock { $0.failure = FileFailure(name: name, .system(code)) }
                return false
            }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Puts the file on disk and gives it its name.
    func finish() throws(FileFailure) {
        try state.withLock { (state) throws(FileFailure) in
            if let failure = state.failure { throw failure }
            guard state.isOpen else { throw FileFailure(name: name, .other("it was given up")) }
            guard calls.sync(file) == 0 else { throw FileFailure(name: name, .system(errno)) }
            state.isOpen = false
            guard close(file) == 0 else { throw FileFailure(name: name, .system(errno)) }
            guard calls.rename(folder, part, name, replaces) == 0 else { throw FileFailure(name: name, .system(errno)) }
            state.isFinished = true
        }
    }

    private static func check(_ name: String, in folder: Int32, replaces: Bool) throws(FileFailure) {
        var status = stat()
        guard fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            // Better now than after the whole transfer: a name that is too long, for one.
            if errno == ENOENT { return }
            throw FileFailure(name: name, .system(errno))
        }
        switch status.st_mode & S_IFMT {
        case S_IFREG where replaces: return
        case S_IFREG: throw FileFailure(name: name, .system(EEXIST))
        case S_IFDIR: throw FileFailure(name: name, .other("there is a folder of that name"))
        case S_IFLNK: throw FileFailure(name: name, .other("there is a symbolic link of that name"))
        default: throw FileFailure(name: name, .other("what is there is not a plain file"))
        }
    }

    private static func makeFolders(_ path: String, for name: String) throws(FileFailure) {
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            throw FileFailure(name: name, .other("its folder could not be made"))
        }
    }

    /// So much of the name that the `.part` file's own fits into 255 bytes.
    private static func prefix(of name: String) -> String {
        var prefix = name
        while prefix.utf8.count > 200 { prefix.removeLast() }
        return prefix
    }
}
