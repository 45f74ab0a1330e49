import PatchbayPlatform
import PatchbayRegistry

/// The open folder of stored responses, and the key of their digests. Its functions block.
struct StoredFolder: Sendable {
    /// The most names that are read: others are as if they were not there.
    private static let mostNames = 1 << 20
    /// The time after which a part file that nobody has locked belongs to a process that has ended.
    private static let partAge = 60
    private static let keyName = "key"
    private static let keySize = 16

    let digest: KeyedDigest
    private(set) var calls: FileCalls
    private let folder: OpenFolder

    /// Opens the folder, or makes it. A key that is missing or has another size is made again: what was stored with it is
    /// never found, and removed at last.
    init(_ url: URL, _ calls: FileCalls) throws(FileFailure) {
        let key = url.appendingPathComponent(Self.keyName, isDirectory: false)
        guard url.isFileURL else { throw FileFailure(name: url.lastPathComponent, .other("the URL names no folder")) }
        // The folders around it are those of others, too.
        let parent = url.deletingLastPathComponent()
        try? FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
        _ = mkdir(url.path(percentEncoded: false), 0o700)
        (folder, self.calls) = (try OpenFolder(of: key, creates: false), calls)
        digest = KeyedDigest(key: try Self.key(in: folder, calls))
    }

    var descriptor: Int32 { folder.descriptor }

    /// This folder with other calls; nil unless it is on a disk of this machine.
    func local(_ calls: FileCalls) -> StoredFolder? {
        guard SystemCall.isOnLocalDisk(descriptor) else { return nil }
        var folder = self
        folder.calls = calls
        return folder
    }

    /// The time of the last change of the names, in nanoseconds.
    var change: Int64 {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return 0 }
        return Int64(status.lastWritten.tv_sec) &* 1_000_000_000 &+ Int64(status.lastWritten.tv_nsec)
    }

    private static func key(in folder: OpenFolder, _ calls: FileCalls) throws(FileFailure) -> KeyedDigest.Value {
        // Another process can make the key at the same time.
        for _ in 0..<8 {
            let file = calls.openFile(folder.descriptor, keyName, O_RDONLY)
            guard file >= 0 || errno == ENOENT else { throw FileFailure(name: keyName, .system(errno), .read) }
            if file >= 0 {
                defer { SystemCall.close(file) }
                var status = stat()
                guard fstat(file, &status) == 0, status.isOwnFile else {
                    throw FileFailure(name: keyName, .other("it is no plain file of this user"), .read)
                }
                var reader = ByteReader(rest: calls.bytes(of: file, at: 0, keySize + 1)?[...] ?? [])
                if reader.rest.count == keySize, let high = reader.number(), let low = reader.number() {
                    return KeyedDigest.Value(high: high, low: low)
                }
                _ = calls.remove(folder.descriptor, keyName)
            }
            let made = KeyedDigest().key
            var bytes: [UInt8] = []
            bytes.append(number: made.high)
            bytes.append(number: made.low)
            let part = try StoredPart(folder, calls)
            do throws(FileFailure) {
                try part.write(bytes, at: 0)
                try part.finish(as: keyName, replacing: false)
            } catch {
                part.discard()
                guard error.cause == .system(EEXIST) else { throw error }
            }
        }
        throw FileFailure(name: keyName, .inUse, .read)
    }

    /// The stored responses, those that were used last first; nil if the folder can't be read. Removes the part files that
    /// ended processes left.
    func list() -> [(name: StoredName, bytes: Int)]? {
        var (found, parts): ([(name: StoredName, bytes: Int, used: timespec)], [String]) = ([], [])
        let isRead = folder.readNames(atMost: Self.mostNames, calls) { bytes in
            if PartName.isOpen(bytes, of: StoredPart.name) {
                parts.append(String(decoding: bytes, as: UTF8.self))
            } else if let name = StoredName(bytes), let status = try? folder.status(of: name.text), status.isOwnFile {
                found.append((name, Int(clamping: status.st_size), status.lastWritten))
            }
        }
        guard isRead else { return nil }
        folder.removeParts(parts, writtenBefore: time(nil) - Self.partAge, calls)
        return found.sorted { ($0.used.tv_sec, $0.used.tv_nsec) > ($1.used.tv_sec, $1.used.tv_nsec) }
            .map { ($0.name, $0.bytes) }
    }

    /// The stored responses of a URL. Looks at no other file.
    func names(of url: KeyedDigest.Value) -> [StoredName] {
        let beginning = Array(url.text.utf8)
        var found: [StoredName] = []
        folder.readNames(atMost: Self.mostNames, calls) { bytes in
            guard bytes.starts(with: beginning), let name = StoredName(bytes),
                let status = try? folder.status(of: name.text), status.isOwnFile
            else { return }
            found.append(name)
        }
        return found
    }

    func part() throws(FileFailure) -> StoredPart { try StoredPart(folder, calls) }

    /// - Parameter file: an open file; another one of the name stays.
    func remove(_ name: StoredName, ifItIs file: Int32? = nil) {
        guard file.map({ folder.holds($0, under: name.text) }) != false else { return }
        _ = calls.remove(descriptor, name.text)
    }
}

/// A file that gets its name when it is whole. Until then it is locked, so that no process removes it.
struct StoredPart: Sendable {
    /// The name in `PartName`, the same for all.
    static let name = "answer"

    private let folder: OpenFolder
    private let calls: FileCalls
    private let part = PartName.new(of: name)
    private let file: Int32

    fileprivate init(_ folder: OpenFolder, _ calls: FileCalls) throws(FileFailure) {
        (self.folder, self.calls) = (folder, calls)
        file = calls.openFile(folder.descriptor, part, O_RDWR | O_CREAT | O_EXCL)
        guard file >= 0 else { throw FileFailure(name: "its file", .system(errno)) }
        _ = calls.lock(file)
    }

    func write(_ bytes: [UInt8], at start: Int) throws(FileFailure) {
        let code = calls.write(bytes, to: file, at: start)
        guard code == 0 else { throw FileFailure(name: "its file", .system(code)) }
    }

    /// Gives the file its name, and closes it.
    func finish(as name: String, replacing replaces: Bool = true) throws(FileFailure) {
        guard try folder.status(of: name)?.isOwnFile != false else {
            throw FileFailure(name: "its file", .other("something else has its name"))
        }
        if !replaces, calls.link(file, folder.descriptor, name) == 0 { return discard() }
        guard (replaces ? calls.rename : calls.renameToFree)(folder.descriptor, part, name) == 0 else {
            throw FileFailure(name: "its file", .system(errno))
        }
        _ = PartialFile.close(file)
    }

    /// Removes and closes the file.
    func discard() {
        _ = calls.remove(folder.descriptor, part)
        _ = PartialFile.close(file)
    }
}

extension FileCalls {
    /// The bytes at a place, fewer at the end of the file; nil if they can't be read.
    func bytes(of file: Int32, at start: Int, _ count: Int) -> [UInt8]? {
        var last = 1
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { memory, used in
            while used < count, last > 0 {
                let rest = UnsafeMutableRawBufferPointer(UnsafeMutableBufferPointer(rebasing: memory[used..<count]))
                last = read(file, rest, start + used)
                if last > 0 { used += min(last, count - used) }
                if last < 0, errno == EINTR { last = 1 }
            }
        }
        return last < 0 ? nil : bytes
    }

    /// Writes bytes to a place. Returns the code of the system's error, or 0.
    func write(_ bytes: [UInt8], to file: Int32, at start: Int) -> Int32 {
        // Writing beyond this limit raises SIGXFSZ, which ends the process by default.
        guard bytes.count <= SystemCall.largestFile - start else { return EFBIG }
        return bytes.withUnsafeBytes { bytes in
            var done = 0
            while done < bytes.count {
                let count = writeAt(file, UnsafeRawBufferPointer(rebasing: bytes[done...]), start + done)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return count < 0 ? errno : EIO }
                done += count
            }
            return 0
        }
    }
}

extension stat {
    /// Whether it is a plain file of this user.
    var isOwnFile: Bool { st_mode & S_IFMT == S_IFREG && st_uid == geteuid() }
}
