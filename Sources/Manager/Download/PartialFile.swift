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

/// A file on its way: a hidden `.part` file that gets its name when it is complete, and is removed or kept for later when it
/// is not.
final class PartialFile: Sendable {
    struct State: Sendable {
        enum Fate: Sendable { case open, named, gone, kept }

        var fate = Fate.open
        /// Nil once it is closed.
        var file: Int32?
        /// How many bytes the file holds.
        var count = 0
        /// Where the bytes of the response have to end; nil where nobody knows.
        var end: Int?
        /// How long the file has to be; nil where nobody knows.
        var expected: Int?
        /// Whether the file is not any more what it was when it was opened.
        var isTouched: Bool
        /// What was on disk when it was put there.
        var mark: FileMark?
        var failure: FileFailure?
    }

    let url: URL
    let part: String
    let replaces: Bool
    let folder: OpenFolder
    let calls: FileCalls
    let state: Guarded<State>
    /// The largest file that this process may write. To write more ends it with a signal, unless it minds that signal.
    private let largest: Int
    var name: String { url.lastPathComponent }

    /// A new one.
    /// - Throws: `FileFailure`, and then nothing has been made.
    init(_ url: URL, _ options: DownloadDestination, _ calls: FileCalls) throws(FileFailure) {
        let name = url.lastPathComponent
        folder = try OpenFolder(of: url, creates: options.createsFolders)
        part = ".\(Self.prefix(of: name)).\(String(UInt64.random(in: .min ... .max), radix: 36)).part"
        try folder.checkIsFree(name, replaces: options.replacesFile)
        let file = calls.create(folder.descriptor, part)
        guard file >= 0 else { throw FileFailure(name: name, .system(errno)) }
        state = Guarded(State(file: file, isTouched: true))
        self.url = url
        self.calls = calls
        replaces = options.replacesFile
        largest = Self.largestFile
    }

    /// One that was kept.
    /// - Throws: `FileFailure`, and then nothing has changed.
    init(resuming resumption: DownloadResumption, _ calls: FileCalls) throws(FileFailure) {
        url = resumption.file
        part = resumption.partName
        replaces = resumption.replacesFile
        folder = try OpenFolder(of: url, creates: false)
        try folder.checkIsFree(url.lastPathComponent, replaces: replaces)
        let file = try Self.reopen(resumption, in: folder, calls)
        state = Guarded(State(file: file, count: resumption.bytes, isTouched: false, mark: resumption.mark))
        self.calls = calls
        largest = Self.largestFile
    }

    deinit {
        let isTouched = state.withLock(\.isTouched)
        if isTouched { discard() } else { letGo() }
    }

    /// What went wrong while writing; nil so far.
    var failure: FileFailure? { state.withLock(\.failure) }

    /// How many bytes the file holds.
    var count: Int { state.withLock(\.count) }

    /// Adds the bytes; false where that failed, and `failure` says why.
    func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
        state.withLock { state in
            guard let file = state.file else { return false }
            do throws(FileFailure) {
                guard bytes.count <= (state.end ?? .max) - state.count else {
                    throw FileFailure(name: name, .other("the response has more bytes than its Content-Range says"))
                }
                guard bytes.count <= largest - state.count else { throw FileFailure(name: name, .system(EFBIG)) }
                state.isTouched = true
                var rest = bytes[...]
                while !rest.isEmpty {
                    let written = calls.write(file, UnsafeRawBufferPointer(rebasing: rest))
                    if written < 0, errno == EINTR { continue }
                    guard written > 0 else { throw FileFailure(name: name, .system(written < 0 ? errno : EIO)) }
                    state.count += written
                    rest = rest.dropFirst(written)
                }
                return true
            } catch {
                state.failure = error
                return false
            }
        }
    }

    /// The bytes, read from the file that was written, whatever has become of its name.
    func contents() throws(FileFailure) -> ResponseBody {
        try state.withLock { (state) throws(FileFailure) in
            guard let file = state.file else { throw FileFailure(name: name, .other("it is closed"), .read) }
            let body = BodyBuffer(expected: state.count)
            let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
            defer { chunk.deallocate() }
            while body.count < state.count {
                let count = calls.read(file, chunk, body.count)
                if count < 0, errno == EINTR { continue }
                guard count >= 0 else { throw FileFailure(name: name, .system(errno), .read) }
                guard count > 0 else {
                    throw FileFailure(name: name, .other("it is shorter than what was written to it"), .read)
                }
                guard body.append(UnsafeRawBufferPointer(rebasing: chunk[..<min(count, chunk.count)])) else {
                    throw FileFailure(name: name, .other("there is no memory for it"), .read)
                }
            }
            return body.finish()
        }
    }

    /// Puts the file on disk and gives it its name.
    func finish() throws(FileFailure) {
        try state.withLock { (state) throws(FileFailure) in
            if let failure = state.failure { throw failure }
            guard state.file != nil else { throw FileFailure(name: name, .other("it was given up")) }
            try putOnDisk(&state)
            guard calls.rename(folder.descriptor, part, name, replaces) == 0 else {
                throw FileFailure(name: name, .system(errno))
            }
            state.fate = .named
        }
    }

    /// Removes the part, unless it has become the file.
    func discard() {
        letGo()
        state.withLock { state in
            guard state.fate == .open else { return }
            state.fate = .gone
            _ = calls.remove(folder.descriptor, part)
        }
    }

    /// Closes the file, with its bytes on disk. One whose bytes are not is closed too: to ask the system a second time gives
    /// another answer and the same bytes.
    func putOnDisk(_ state: inout State) throws(FileFailure) {
        guard let file = state.file else { return }
        (state.file, state.mark) = (nil, nil)
        var status = stat()
        guard calls.sync(file) == 0, fstat(file, &status) == 0 else {
            let code = errno
            _ = Self.close(file)
            throw FileFailure(name: name, .system(code))
        }
        guard Self.close(file) == 0 else { throw FileFailure(name: name, .system(errno)) }
        state.mark = FileMark(status)
    }

    /// Closes the file, and leaves the part as it is.
    func letGo() {
        state.withLock { state in
            if let file = state.file { _ = Self.close(file) }
            state.file = nil
        }
    }

    /// So much of the name that the `.part` file's own fits into 255 bytes.
    private static func prefix(of name: String) -> String {
        var prefix = name
        while prefix.utf8.count > 200 { prefix.removeLast() }
        return prefix
    }

    private static var largestFile: Int {
        #if canImport(Glibc)
            let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
        #else
            let resource = RLIMIT_FSIZE
        #endif
        var limit = rlimit()
        return getrlimit(resource, &limit) == 0 ? Int(clamping: limit.rlim_cur) : .max
    }
}
