public import PatchbayPlatform

/// Content that is never whole in memory.
extension RequestContent {
    /// A file, opened when it is sent and read while it is; it must not change until then.
    ///
    /// Where there is no regular file that can be read, the request fails with a `ContentFailure` as its cause.
    /// - Parameter type: its media type; nil: that of the name's extension.
    public static func file(_ url: URL, type: String? = nil) -> RequestContent {
        RequestContent(
            contentType: type ?? FileMediaType.ofFile(url.lastPathComponent), reading: { .source(try FileSource(url)) })
    }

    /// Chunks of bytes as they come, sent once: a redirect or a retry that would send them again is an error.
    ///
    /// For the rest see `stream(type:length:_:)`, whose closure makes a new sequence each time.
    /// - Parameter length: how many bytes there are in all: more or fewer fail the request. Without it the request is sent chunked.
    public static func stream<Chunks: AsyncSequence & Sendable>(
        _ chunks: Chunks, type: String = "application/octet-stream", length: Int64? = nil
    ) -> RequestContent where Chunks.Element == Data {
        let chunks = SinglePass(chunks)
        return RequestContent(contentType: type, reading: { .source(SequenceSource(length: length, chunks)) })
    }

    /// Chunks of bytes as they come. One is fetched when the last has been sent but for 256 KiB at most.
    ///
    /// What the sequence throws fails the request, as its cause, and the connection is closed before the body looks whole. When the
    /// call is over, so is the task that asks for chunks. For a source that is not a sequence see `init(contentType:reading:)`.
    /// - Parameters:
    ///   - length: how many bytes there are in all: more or fewer fail the request. Without it the request is sent chunked.
    ///   - make: gives the chunks from the first one on, each time they are sent: a redirect or a retry sends them again.
    public static func stream<Chunks: AsyncSequence & Sendable>(
        type: String = "application/octet-stream", length: Int64? = nil, _ make: @escaping @Sendable () throws -> Chunks
    ) -> RequestContent where Chunks.Element == Data {
        RequestContent(contentType: type, reading: { .source(SequenceSource(length: length, make)) })
    }
}
