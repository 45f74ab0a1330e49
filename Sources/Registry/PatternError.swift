/// Why the text of a pattern (a media range, a status notation, a host pattern) is not one.
public struct PatternError: Error, Sendable, Hashable {
    /// What is wrong, in plain words; it names the pattern.
    public let reason: String
    /// The nearest valid spelling, where there is one.
    public let suggestion: String?

    /// - Parameter suggestion: the nearest pattern that is right, where one can be named.
    public init(_ reason: String, suggestion: String? = nil) {
        self.reason = reason
        self.suggestion = suggestion
    }

    /// The longest pattern that is read, in UTF-8 bytes.
    package static let maximumLength = 256

    /// Refuses a pattern over the length cap before anything else looks at it.
    package static func checkLength(of pattern: String) throws(PatternError) {
        let length = pattern.utf8.count
        guard length > maximumLength else { return }
        throw PatternError("the pattern is \(length) bytes long and \(maximumLength) are allowed")
    }
}

extension PatternError: CustomStringConvertible {
    public var description: String {
        if let suggestion { "\(reason); did you mean \"\(suggestion)\"?" } else { reason }
    }
}
