public import PatchbayPlatform

extension MultipartFormData {
    /// Writes the form as it would be sent to a new file, for an upload from that file later on.
    ///
    /// Send it with `contentType`. Where the writing fails the file is removed.
    /// - Throws: `ContentFailure` where there is a file already or it cannot be written; what a source throws.
    public nonisolated(nonsending) func write(to file: URL) async throws {
        try await concurrently { try await writeNew(file) }
    }

    private func writeNew(_ file: URL) async throws {
        guard file.isFileURL else { throw ContentFailure(.notFileURL, "the URL to write a form to is no file URL") }
        let path = file.path(percentEncoded: false)
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw Self.failure(file, errno) }
        do {
            defer { close(descriptor) }
            try await write(to: descriptor, file)
        } catch {
            unlink(path)
            throw error
        }
    }

    private func write(to descriptor: Int32, _ file: URL) async throws {
        let source = makeSource()
        var space = [UInt8](repeating: 0, count: 65_536)
        while true {
            try Task.checkCancellation()
            switch try space.withUnsafeMutableBytes({ try source.read(into: $0) }) {
            case .end: return
            case .wait(let signal): await signal.fired()
            case .bytes(let count):
                var rest = space[..<count]
                while !rest.isEmpty {
                    let written = rest.withUnsafeBytes { systemWrite(descriptor, $0) }
                    guard written >= 0 || errno == EINTR else { throw Self.failure(file, errno) }
                    rest = rest.dropFirst(max(written, 0))
                }
            }
        }
    }

    private static func failure(_ file: URL, _ code: Int32) -> ContentFailure {
        let name = file.lastPathComponent
        return code == EEXIST
            ? ContentFailure(.existingFile, "there is a file \(name) already")
            : ContentFailure(.unwritableFile, "\(name) cannot be written (\(SystemError.words(code)))")
    }
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}
