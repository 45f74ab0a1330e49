import PatchbayPlatform
import PatchbayRegistry

/// Reads a regular file as a body. The file is open from the first read to `rewind` or the end of this object.
final class FileSource: RequestBodySource {
    /// Nil for a file whose size is 0 although it has bytes, such as a file in `/proc`.
    let length: Int64?
    private let size: Int64
    private let path: String
    private let name: String
    private let state = Guarded(State())

    private struct State {
        /// The opened file; negative before the first read.
        var descriptor: Int32 = -1
        /// Notices that the file changes while it is sent; nil if its length is unknown.
        var rest: ExactLength?
    }

    /// - Throws: `ContentFailure` if the URL does not lead to a readable regular file.
    init(_ url: URL) throws(ContentFailure) {
        guard url.isFileURL else { throw ContentFailure(.notFileURL, "the URL of a file to send is no file URL") }
        path = url.path(percentEncoded: false)
        name = url.lastPathComponent
        var status = stat()
        guard stat(path, &status) == 0 else { throw Self.failure(name, errno) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw ContentFailure(.notRegularFile, "\(name) is not a regular file")
        }
        guard access(path, R_OK) == 0 else { throw Self.failure(name, errno) }
        size = Int64(status.st_size)
        let hasOtherLength = size == 0 ? try Self.hasBytes(path, name) : false
        length = hasOtherLength ? nil : size
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> RequestBodyPiece {
        try state.withLock { state in
            if state.descriptor < 0 {
                state.descriptor = try Self.open(path, name, size)
                state.rest = length.map { ExactLength($0, of: name) }
            }
            let next = { [descriptor = state.descriptor, name] (space: UnsafeMutableRawBufferPointer) in
                let count = SystemCall.read(descriptor, space)
                guard count >= 0 else { throw Self.failure(name, errno) }
                return count == 0 ? RequestBodyPiece.end() : .bytes(count)
            }
            return try state.rest?.read(into: buffer, from: next) ?? next(buffer)
        }
    }

    func rewind() {
        state.withLock { state in
            if state.descriptor >= 0 { close(state.descriptor) }
            state.descriptor = -1
        }
    }

    deinit { rewind() }

    /// Opens the file and checks it again, because the file can have changed since `init`.
    private static func open(_ path: String, _ name: String, _ size: Int64) throws(ContentFailure) -> Int32 {
        let descriptor = SystemCall.open(path, O_RDONLY | O_NONBLOCK)
        guard descriptor >= 0 else { throw failure(name, errno) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, Int64(status.st_size) == size
        else {
            close(descriptor)
            throw ContentFailure(.wrongLength, "\(name) has changed since its length was announced")
        }
        return descriptor
    }

    /// Whether a file has bytes, whatever its size is.
    private static func hasBytes(_ path: String, _ name: String) throws(ContentFailure) -> Bool {
        let descriptor = try open(path, name, 0)
        defer { close(descriptor) }
        let count = withUnsafeTemporaryAllocation(byteCount: 1, alignment: 1) { SystemCall.read(descriptor, $0) }
        guard count >= 0 else { throw failure(name, errno) }
        return count > 0
    }

    private static func failure(_ name: String, _ code: Int32) -> ContentFailure {
        code == ENOENT || code == ENOTDIR
            ? ContentFailure(.missingFile, "there is no file \(name)")
            : ContentFailure(.unreadableFile, "\(name) cannot be read (\(SystemError.words(code)))")
    }
}
