/// Why the content of a request, a form, a file or a stream, cannot be sent.
public struct ContentFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kinds of failure.
    public enum Code: String, Sendable {
        case invalidBoundary, invalidName, invalidHeader, headersTooLarge
        case notFileURL, missingFile, notRegularFile, unreadableFile
        /// There are more or fewer bytes than were announced.
        case wrongLength
        /// A sequence that can be sent once only was to be sent again.
        case alreadySent
        /// A field behind the content was not announced, or has a value that cannot be sent.
        case invalidTrailer
        case existingFile, unwritableFile
    }

    /// Which kind it is.
    public let code: Code
    /// The reason in plain words; of a file it names the last component only.
    public let reason: String
    public var description: String { reason }

    init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }
}
