import PatchbayRegistry

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The file that a download is to make, through all the tries of the call.
final class FileSink: BodySink {
    private let target: FileTarget
    private let opened = Guarded<Result<PartialFile, SessionError>?>(nil)

    /// Whether the finished file is serialized, so that the limits of its entry hold.
    var isSerialized: Bool { target.isSerialized }

    init(_ destination: DownloadDestination, isSerialized: Bool, calls: FileCalls) {
        target = FileTarget(destination, isSerialized: isSerialized, calls: calls)
    }

    /// The rest of a file that was begun.
    init(resuming resumption: DownloadResumption, isSerialized: Bool, calls: FileCalls) {
        target = FileTarget(resuming: resumption, isSerialized: isSerialized, calls: calls)
    }

    /// Readies a request for a try: one that goes on asks for the rest of the version that it has the beginning of.
    func prepare(_ request: OutgoingRequest) async throws(SessionError) -> OutgoingRequest {
        opened.withLock { $0 = nil }
        var prepared = request
        try target.prepare(&prepared)
        return prepared
    }

    func open(_ head: ResponseHead, stop: @escaping @Sendable () -> Void) -> Int {
        let result = target.open(head)
        opened.withLock { $0 = result }
        if case .success(let file) = result { return file.count }
        stop()
        return 0
    }

    func append(_ bytes: UnsafeRawBufferPointer) -> Flow { file?.append(bytes) == true ? .proceed : .stop }

    func settle() async -> SessionError? {
        switch opened.withLock({ $0 }) {
        case nil: nil
        case .success(let file): file.failure.map { SessionError($0) }
        case .failure(let failure): failure
        }
    }

    var body: ResponseBody { .empty }

    /// Whether the response went into the file.
    var hasBody: Bool { file != nil }

    /// Where the bytes are until the file has its name; nil where they are not in a file.
    var partURL: URL? { file?.partURL }

    /// How many bytes are missing at the end; 0 where nobody knows better.
    var missing: Int { file?.missing ?? 0 }

    /// The bytes that were written, whatever has become of the file's name.
    func contents() async throws(FileFailure) -> ResponseBody { try file?.contents() ?? .empty }

    /// Puts the file on disk and gives it its name.
    func finish() async throws(FileFailure) -> URL {
        guard let file else { throw FileFailure(name: "the download", .other("there is no file")) }
        try file.finish()
        return file.url
    }

    /// Ends the try: what was written is removed, or kept where it can be gone on with, and then the error says how.
    func failed(_ failure: SessionError) async -> SessionError { target.failed(failure) }

    private var file: PartialFile? {
        if case .success(let file) = opened.withLock({ $0 }) { file } else { nil }
    }
}
