#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A body without an end that was coded into next to nothing: how it begins, and what repeats for ever, 128 KiB of it each time.
struct EndlessBody: Codable, Sendable {
    enum Content: String, Codable, Sendable {
        case blankLines = "blank lines"
        case comments = "comments"
        case oneLine = "one line without an end"

        /// A media type of whose elements there is none in it.
        var type: String { self == .oneLine ? "application/x-ndjson" : "text/event-stream" }
    }

    let content: Content
    let coding: String
    let start: [UInt8]
    let repeated: [UInt8]

    private init(_ content: Content, _ coding: String, _ start: String, _ repeated: String...) {
        (self.content, self.coding) = (content, coding)
        self.start = Data(base64Encoded: start).map { Array($0) } ?? []
        self.repeated = Data(base64Encoded: repeated.joined()).map { Array($0) } ?? []
    }

    /// Made with zlib, brotli and zstd, which were told to flush behind each 128 KiB: what comes then is the same each time.
    static let all = [
        EndlessBody(
            .blankLines, "gzip", "H4sIAAAAAAAA/w==",
            "7MEhAQAAAMMgv/6BL14DKAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
            "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAIAbAAAA//8="),
        EndlessBody(
            .blankLines, "br", "9P8fAEgoxGOB5N4HGA==",
            "+v8PACQA4rAAdO8DDA=="),
        EndlessBody(
            .blankLines, "zstd", "KLUv/QBYVAAAEAoKAQD7/znAAg==",
            "AgAQCg=="),
        EndlessBody(
            .comments, "gzip", "H4sIAAAAAAAA/w==",
            "7MchEQAgEAAw/ykoQIFvg3jBgUCRnyBsbtlW1eljz1sRaWZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZm",
            "ZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZm",
            "ZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZm",
            "ZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmaf7gEAAP//"),
        EndlessBody(
            .comments, "br", "tP8fAIhTzhMKJJDMgqDt/JLkt3o05jbU+wDl9gUY",
            "2v8PACQA4rAAbO8DDA=="),
        EndlessBody(
            .comments, "zstd", "KLUv/QBYtAAAcDoga2VlcC1hbGl2ZQoKAQDr/5FPJQ==",
            "TAAACDoBAPj/ORAC"),
        EndlessBody(
            .oneLine, "gzip", "H4sIAAAAAAAA/w==",
            "7MExAQAAAMKg2ovvYQ2gAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
            "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAG4AAAD//w=="),
        EndlessBody(
            .oneLine, "br", "9P8fAEjgxWOB5N4HGA==",
            "+v8PACQA4rAAdO8DDA=="),
        EndlessBody(
            .oneLine, "zstd", "KLUv/QBYVAAAEHh4AQD7/znAAg==",
            "AgAQeA=="),
    ]
}
