import PatchbayPlatform

/// The file of a traffic log, used by the thread of the log. Each write is one system call with whole lines, because other
/// logs can append to the file. The part of a line that a full disk has taken is cut off again.
struct TrafficFile {
    private static let largestWrite = 1 << 16

    let path: String
    let maximumBytes: Int
    let calls: FileCalls
    /// The reason that the last lines were not written; nil if they were.
    private(set) var failure: String?
    private var file: Int32 = -1
    /// The number of lost decisions that no line counts yet.
    private var lost = 0

    init(_ url: URL, maximumBytes: Int, _ calls: FileCalls) {
        // No file has the empty path.
        path = url.isFileURL && !url.path.utf8.contains(0) ? url.path : ""
        (self.maximumBytes, self.calls) = (max(maximumBytes, 0), calls)
    }

    /// Appends lines. The next line counts those that can't be written.
    mutating func write(_ lines: [TrafficLine]) {
        var rest = lines[...]
        repeat {
            var batch = lost > 0 ? [TrafficLine(dropped: lost)] : []
            var count = batch.first?.bytes.count ?? 0
            while let line = rest.first,
                count + line.bytes.count <= min(maximumBytes, Self.largestWrite) || batch.isEmpty
            {
                count += line.bytes.count
                batch.append(rest.removeFirst())
            }
            lost = batch.dropFirst(append(batch)).reduce(0) { $0 + $1.decisions }
            // The disk is full: no attempt for each of the others.
            if lost > 0 { while let line = rest.popFirst() { lost += line.decisions } }
        } while !rest.isEmpty
    }

    mutating func sync() { if file >= 0 { _ = calls.sync(file) } }

    mutating func close() {
        if file >= 0 { SystemCall.close(file) }
        file = -1
    }

    /// - Returns: the number of lines that were written, the first ones.
    private mutating func append(_ lines: [TrafficLine]) -> Int {
        guard !lines.isEmpty else { return 0 }
        failure = nil
        guard let size = open(for: lines.reduce(0) { $0 + $1.bytes.count }) else { return 0 }
        // The process that wrote the last line was killed meanwhile.
        let isCut = size > 0 && calls.bytes(of: file, at: size - 1, 1) != [UInt8(ascii: "\n")]
        let bytes = (isCut ? [UInt8(ascii: "\n")] : []) + lines.flatMap(\.bytes)
        // Writing beyond this limit raises SIGXFSZ, which ends the process by default.
        guard bytes.count <= SystemCall.largestFile - size else {
            fail(.system(EFBIG))
            return 0
        }
        let count = bytes.withUnsafeBytes { calls.write(file, $0) }
        guard count < bytes.count else { return lines.count }
        fail(.system(count < 0 ? errno : ENOSPC))
        let whole = bytes.prefix(max(count, 0)).lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        let end = Int(lseek(file, 0, SEEK_CUR))
        // If another process has appended a line, its line stays.
        if count > whole, ownSize == end { _ = calls.truncate(file, end - (count - whole)) }
        return bytes.prefix(whole).count { $0 == UInt8(ascii: "\n") } - (isCut && whole > 0 ? 1 : 0)
    }

    /// Notes why nothing more is written.
    private mutating func fail(_ cause: FileFailure.Cause) { failure = "\(FileFailure(name: "it", cause))" }

    private var ownSize: Int? {
        var status = stat()
        return fstat(file, &status) == 0 && status.isOwnFile ? Int(status.st_size) : nil
    }

    /// Opens the file. A file without room gets its other name first.
    /// - Returns: the size of the file; nil if nothing can be written.
    private mutating func open(for count: Int) -> Int? {
        // Other processes rename the file, too.
        for _ in 0..<16 {
            if !isNamed {
                close()
                file = calls.openFile(AT_FDCWD, path, O_RDWR | O_APPEND | O_CREAT | O_NOCTTY)
                if file < 0 { fail(.system(errno)) }
            }
            guard let size = ownSize else {
                if file >= 0 { fail(.other("it is no plain file of this user")) }
                break
            }
            guard size > 0, count > maximumBytes - size, calls.lock(file) == 0 else { return size }
            // Only the process with the lock renames this file; the lock ends when the file is closed.
            defer { close() }
            guard !isNamed || calls.rename(AT_FDCWD, path, path + ".1") == 0 else {
                fail(.system(errno))
                break
            }
        }
        close()
        return nil
    }

    /// Whether the open file still has the name.
    private var isNamed: Bool {
        var (open, named) = (stat(), stat())
        return fstat(file, &open) == 0 && lstat(path, &named) == 0
            && FileIdentity(open).isSameFile(as: FileIdentity(named))
    }
}
