import PatchbayRegistry

/// Where the bytes of a response go while they arrive.
enum BodyStore: Sendable {
    case memory(BodyBuffer)
    case file(PartialFile)
    /// The file could not be made, or the response is not the rest of it.
    case nowhere(SessionError)

    /// False where the bytes could not be taken.
    func append(_ chunk: UnsafeRawBufferPointer) -> Bool {
        switch self {
        case .memory(let buffer): buffer.append(chunk)
        case .file(let file): file.append(chunk)
        case .nowhere: false
        }
    }

    /// The body so far; empty for a file.
    var body: ResponseBody {
        if case .memory(let buffer) = self { buffer.finish() } else { .empty }
    }

    var file: PartialFile? {
        if case .file(let file) = self { file } else { nil }
    }

    /// Why the bytes could not be taken, where that is known.
    var failure: SessionError? {
        switch self {
        case .memory: nil
        case .file(let file): file.failure.map { SessionError($0) }
        case .nowhere(let failure): failure
        }
    }
}
