public import PatchbayJSON
import PatchbayPlatform

/// The text of an error that is safe to show in a sentence: one line, bounded, and without values from the body.
///
/// Errors of this library show their sentence, system errors show the system's text for their number, and a
/// `DecodingError` or `EncodingError` shows its kind and coding path. All other errors show their type, and their case
/// if they are enumerations.
package struct FailureReason: CustomStringConvertible {
    private static let limit = 300
    package let description: String

    /// - Parameter isPlaced: whether the text contains the coding path of a `DecodingError`.
    package init(_ error: any Error, isPlaced: Bool = true) {
        description =
            Printed(allLinesOf: Self.text(of: error, isPlaced) ?? Self.name(of: error), limit: Self.limit).text
    }

    /// The text of an error. If only the type name is shown, it follows a clause: `a validator threw Refusal.tooOld`.
    package init(_ error: any Error, naming clause: String) {
        let text = Self.text(of: error, true) ?? "\(clause) \(Self.name(of: error))"
        description = Printed(allLinesOf: text, limit: Self.limit).text
    }

    /// The whole text of an error about an option. Nothing is hidden or cut, because an option comes from the author of
    /// the manifest, not from a server.
    init(ofRefusedOption error: any Error) {
        description = Printed(allLinesOf: Self.fullText(of: error)).text
    }

    static func path(of error: DecodingError) -> String {
        path(context(of: error)?.codingPath ?? [])
    }

    private static func path(_ keys: [any CodingKey]) -> String {
        keys.map { key in
            "/" + (key.intValue.map(String.init) ?? JSONPointer.escaped(key.stringValue))
        }.joined()
    }

    private static func context(of error: DecodingError) -> DecodingError.Context? {
        switch error {
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
            .dataCorrupted(let context):
            context
        @unknown default: nil
        }
    }

    /// The text of an error that is safe to show; nil for other errors.
    private static func text(of error: any Error, _ isPlaced: Bool) -> String? {
        switch error {
        case let error as any SafeToPrint: return error.description
        case let error as DecodingError:
            let path = isPlaced ? path(of: error) : ""
            return text(of: error) + (path.isEmpty ? "" : " at \(path)")
        case EncodingError.invalidValue(let value, let context):
            let path = isPlaced ? path(context.codingPath) : ""
            return "a value of the type \(type(of: value)) cannot be written" + (path.isEmpty ? "" : " at \(path)")
        default: return SystemError.words(for: error)
        }
    }

    /// The error in words, such as `expected Int, found null`. The `debugDescription` of the error can quote the value,
    /// so it is not shown.
    private static func text(of error: DecodingError) -> String {
        switch error {
        case .typeMismatch(let type, _): "expected \(name(of: type))"
        case .valueNotFound(let type, _): "expected \(name(of: type)), found null"
        case .keyNotFound(let key, _): "the key \(Quoted(key.stringValue)) is missing"
        case .dataCorrupted(let context): text(below: context) ?? "the value is not valid"
        @unknown default: "the value does not decode"
        }
    }

    /// Decoders name these two types where they need any object or any array.
    private static func name(of type: Any.Type) -> String {
        type == [String: Any].self ? "an object" : type == [Any].self ? "an array" : "\(type)"
    }

    /// The text of the error underneath a `DecodingError`, if it is an error of this library or another
    /// `DecodingError`.
    private static func text(below context: DecodingError.Context) -> String? {
        guard let error = context.underlyingError, error is any SafeToPrint || error is DecodingError else {
            return nil
        }
        return FailureReason(error).description
    }

    /// The type, and the case of an enumeration. No code of the type runs, because the description and the mirror of
    /// the error can quote the body. So a case without a payload has no name here if the type has a description of its
    /// own.
    package static func name(of error: any Error) -> String {
        let type = "\(type(of: error))"
        guard !(error is any CustomReflectable) else { return type }
        let mirror = Mirror(reflecting: error)
        guard mirror.displayStyle == .enum else { return type }
        if let name = mirror.children.first?.label { return "\(type).\(name)" }
        return writesItself(error) ? type : "\(type).\(error)"
    }

    /// The type is asked, and not the error: on Apple platforms, every error can be cast to NSError, which has a
    /// description.
    private static func writesItself(_ error: any Error) -> Bool {
        let type: any Error.Type = type(of: error)
        return type is any CustomStringConvertible.Type || type is any CustomDebugStringConvertible.Type
            || type is any TextOutputStreamable.Type
    }

    // MARK: Options

    private static func fullText(of error: any Error) -> String {
        switch error {
        case let error as FormatFailure: return error.reason
        case let error as DecodingError:
            if let reason = context(of: error)?.underlyingError as? InvalidValue { return reason.description }
            let below = context(of: error)?.underlyingError.map { ": \(fullText(of: $0))" } ?? ""
            return fullText(of: error) + below
        case let text as any CustomStringConvertible where type(of: error) is any CustomStringConvertible.Type:
            return text.description
        case let error as any LocalizedError: return error.errorDescription ?? "\(error)"
        default:
            let isEnumeration = Mirror(reflecting: error).displayStyle == .enum
            return isEnumeration ? "\(type(of: error)).\(error)" : "\(error)"
        }
    }

    /// The error in words, with its `debugDescription`. The `debugDescription` is left out if it is empty or repeats
    /// the words, as in errors of the decoders of this library. If the data is corrupted, it replaces the words.
    private static func fullText(of error: DecodingError) -> String {
        let (kind, said) = (text(of: error), context(of: error)?.debugDescription ?? "")
        switch error {
        case .dataCorrupted: return said.isEmpty ? kind : said
        case .typeMismatch(let type, _), .valueNotFound(let type, _):
            return said.isEmpty || said.hasPrefix("Expected \(type) but found ") ? kind : "\(kind): \(said)"
        default: return said.isEmpty || said.hasPrefix("The object has no key ") ? kind : "\(kind): \(said)"
        }
    }
}

extension FormatFailure {
    /// A failure of a line or an element, whose reason is the text of `cause` that is safe to print: the expected type and
    /// the coding path of a `DecodingError`, as in `expected Int at /id`, or the type of an error of another library.
    public init(_ format: String, _ code: Code, line: Int? = nil, element: Int? = nil, cause: any Error) {
        self.init(format, code, "\(FailureReason(cause))", line: line, element: element, cause: cause)
    }
}

/// The essence of a media type from a server, shortened for a sentence. It contains only token characters.
package struct ShownType: CustomStringConvertible {
    private static let limit = 100
    package let description: String

    package init(_ mediaType: MediaType?) {
        let essence = mediaType?.essence ?? "no type"
        description = essence.utf8.count > Self.limit ? essence.prefix(Self.limit) + "…" : essence
    }

    package init(_ contentType: ContentType) {
        switch contentType {
        case .missing: self.init("a response without Content-Type")
        case .invalid: self.init("a response with an invalid Content-Type")
        case .mediaType(let type): self.init(type)
        }
    }

    private init(_ description: String) { self.description = description }
}

/// Text from outside in a message: quoted, escaped and shortened.
package struct Quoted: CustomStringConvertible {
    private static let limit = 80
    let text: String

    package init(_ text: String) { self.text = text }

    package var description: String {
        let scalars = text.unicodeScalars
        let cut = scalars.index(scalars.startIndex, offsetBy: Self.limit, limitedBy: scalars.endIndex)
        guard let cut, cut < scalars.endIndex else { return JSON(text).serialized() }
        return JSON(String(scalars[..<cut]) + "…").serialized()
    }
}

/// Several texts from outside, separated by commas and limited in number.
package struct QuotedList: CustomStringConvertible {
    static let limit = 8
    let texts: [String]
    let isQuoted: Bool

    package init(_ texts: [String], quoted: Bool = true) {
        self.texts = texts
        isQuoted = quoted
    }

    package var description: String {
        let shown = texts.prefix(Self.limit).map { isQuoted ? Quoted($0).description : $0 }.joined(separator: ", ")
        return texts.count > Self.limit ? "\(shown) and \(texts.count - Self.limit) more" : shown
    }
}
