/// Why the bytes of a body are not the text that their charset says they are.
public struct TextDecodingError: Error, Sendable, Hashable {
    /// The kinds of failure.
    public enum Reason: Sendable, Hashable {
        /// The label is in no table, as `utf-7` is not.
        case unknownCharset
        /// The charset is known and is not decoded, for safety: browsers refuse it too.
        case undecodableCharset
        /// The bytes break the rules of the charset, first at `offset`, counted from 0 at the start of the body.
        case malformed(offset: Int)
    }

    /// What is wrong, and where.
    public let reason: Reason
    /// The charset: as labelled where it is unknown, else the name of the encoding. A label that is no token is left out.
    public let charset: String

    init(_ reason: Reason, charset: String) {
        self.reason = reason
        self.charset = FieldByte.isToken(charset) && charset.utf8.count <= 40 ? charset : "(unreadable label)"
    }
}

extension TextDecodingError: CustomStringConvertible {
    public var description: String {
        switch reason {
        case .unknownCharset: "the charset \(charset) is not known"
        case .undecodableCharset: "text in the charset \(charset) cannot be decoded here"
        case .malformed(let offset): "the body is not valid \(charset) at byte \(offset)"
        }
    }
}
