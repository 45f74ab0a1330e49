import PatchbayPlatform

/// Which file it is and when it was last written: another mark, another file or other bytes.
struct FileIdentity: Sendable, Hashable, Codable {
    let device: UInt64
    let inode: UInt64
    let bytes: Int
    let seconds: Int
    let nanoseconds: Int

    init(_ status: stat) {
        device = UInt64(truncatingIfNeeded: status.st_dev)
        inode = UInt64(truncatingIfNeeded: status.st_ino)
        bytes = Int(status.st_size)
        (seconds, nanoseconds) = (status.lastWritten.tv_sec, status.lastWritten.tv_nsec)
    }

    /// Whether this is the same file, whatever was written to it.
    func isSameFile(as other: FileIdentity) -> Bool { device == other.device && inode == other.inode }
}
