import PatchbayJSON

/// What an error says of itself, fit for a sentence: one line, not long, and without values out of the body.
///
/// Errors without a description of their own are named by case or type only, since printing one would print what it holds.
package struct FailureReason: CustomStringConvertible {
    private static let limit = 300
    package let description: String

    /// - Parameter isPlaced: whether the coding path of a `DecodingError` is part of the text.
    package init(_ error: any Error, isPlaced: Bool = true) {
        description = Self.singleLine(Self.text(of: error, isPlaced))
    }

    /// The coding path of the error, as a JSON pointer.
    static func path(of error: DecodingError) -> String {
        let path: [any CodingKey] =
            switch error {
            case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
                .dataCorrupted(let context):
                context.codingPath
            @unknown default: []
            }
        return path.map { key in "/" + (key.intValue.map(String.init) ?? JSONPointer.escaped(key.stringValue)) }
            .joined()
    }

    private static func text(of error: any Error, _ isPlaced: Bool) -> String {
        switch error {
        case let error as DecodingError:
            let path = isPlaced ? path(of: error) : ""
            return text(of: error) + (path.isEmpty ? "" : " at \(path)")
        case let error as any CustomStringConvertible: return error.description
        default:
            let type = "\(type(of: error))"
            guard Mirror(reflecting: error).displayStyle == .enum else { return type }
            return "\(type).\("\(error)".prefix { $0 != "(" })"
        }
    }

    /// The kind of the error. Foundation's own words may quote the value.
    private static func text(of error: DecodingError) -> String {
        switch error {
        case .typeMismatch(let type, _): "expected \(type)"
        case .valueNotFound(let type, _): "expected \(type), found null"
        case .keyNotFound(let key, _): "the key \(Quoted(key.stringValue)) is missing"
        case .dataCorrupted(let context):
            context.underlyingError.map { FailureReason($0).description } ?? "the value is not valid"
        @unknown default: "the value does not decode"
        }
    }

    private static func singleLine(_ text: String) -> String {
        var line = ""
        for scalar in text.unicodeScalars {
            guard line.unicodeScalars.count < limit else { return line + "…" }
            line.unicodeScalars.append(isControl(scalar) ? " " : scalar)
        }
        return line
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}

/// The essence of a media type that a server sent, short enough for a sentence. It is made of token characters only.
struct ShownType: CustomStringConvertible {
    private static let limit = 100
    let description: String

    init(_ mediaType: MediaType?) {
        let essence = mediaType?.essence ?? "no type"
        description = essence.utf8.count > Self.limit ? essence.prefix(Self.limit) + "…" : essence
    }

    init(_ contentType: ContentType) {
        switch contentType {
        case .missing: self.init("a response without Content-Type")
        case .invalid: self.init("a response with an invalid Content-Type")
        case .mediaType(let type): self.init(type)
        }
    }

    private init(_ description: String) { self.description = description }
}

/// Text of someone else's in a message of ours: quoted, escaped and cut to a length that a reader can take in.
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

/// Several such texts, with commas between them, and not more of them than a reader can take in.
struct QuotedList: CustomStringConvertible {
    static let limit = 8
    let texts: [String]
    let isQuoted: Bool

    init(_ texts: [String], quoted: Bool = true) {
        self.texts = texts
        isQuoted = quoted
    }

    var description: String {
        let shown = texts.prefix(Self.limit).map { isQuoted ? Quoted($0).description : $0 }.joined(separator: ", ")
        return texts.count > Self.limit ? "\(shown) and \(texts.count - Self.limit) more" : shown
    }
}
