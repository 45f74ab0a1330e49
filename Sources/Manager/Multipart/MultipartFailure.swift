/// Why a multipart form, or a file in it, cannot be sent.
public struct MultipartFailure: Error, Sendable, Hashable, CustomStringConvertible {
    public enum Code: String, Sendable {
        case invalidBoundary, invalidName, invalidHeader, headersTooLarge
        case notFileURL, missingFile, notRegularFile, unreadableFile
        /// A part has more or fewer bytes than were announced.
        case wrongLength
        case existingFile, unwritableFile
    }

    public let code: Code
    /// The reason in plain words; of a file it names the last component only.
    public let reason: String
    public var description: String { reason }

    init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }
}
