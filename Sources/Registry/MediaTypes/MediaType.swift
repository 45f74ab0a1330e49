/// A media type: `type/subtype` and parameters (RFC 9110, section 8.3.1; WHATWG MIME Sniffing, section 4).
///
/// Canonical from the start: type, subtype and parameter names are in lower case, parameters keep the order they came in, and
/// of a parameter given twice the first counts. Two media types are equal when all of that is; `MediaRange` is what matches.
public struct MediaType: Sendable, Hashable {
    /// One parameter: a token in lower case, and its value without quotes and escapes.
    public struct Parameter: Sendable, Hashable {
        /// In lower case.
        public let name: String
        /// As it was written, without the quotes of a quoted string.
        public let value: String

        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// `type/subtype`, without parameters.
    public let essence: String
    /// The parameters in the order received, no name twice.
    public let parameters: [Parameter]
    /// Where the slash is in `essence`, in bytes.
    private let slash: Int

    /// Reads a media type by the WHATWG rules ("parse a MIME type"), or gives nil where they fail.
    ///
    /// The rules are lenient about parameters: one that is malformed is dropped, the rest are kept.
    public init?(_ string: String) {
        guard let parsed = MediaTypeParser.parse(string) else { return nil }
        self = parsed
    }

    /// Puts a media type together; nil where the type, the subtype or a parameter's name is not a token, or a value has
    /// a character that cannot be written in a header field.
    public init?(type: String, subtype: String, parameters: KeyValuePairs<String, String> = [:]) {
        guard FieldByte.isToken(type), FieldByte.isToken(subtype) else { return nil }
        var kept: [Parameter] = []
        for (name, value) in parameters {
            guard FieldByte.isToken(name), value.utf8.allSatisfy(FieldByte.isQuotedText) else { return nil }
            let name = FieldByte.lowercased(name)
            if !kept.contains(where: { $0.name == name }) { kept.append(Parameter(name: name, value: value)) }
        }
        self.init(essence: FieldByte.lowercased("\(type)/\(subtype)"), slash: type.utf8.count, parameters: kept)
    }

    /// For parts that are canonical already.
    init(essence: String, slash: Int, parameters: [Parameter]) {
        self.essence = essence
        self.slash = slash
        self.parameters = parameters
    }

    /// The part before the slash, such as `application`.
    public var type: String { String(essence.prefix(upTo: slashIndex)) }

    /// The part behind the slash, such as `problem+json`.
    public var subtype: String { String(essence.suffix(from: slashIndex).dropFirst()) }

    /// The structured suffix without its plus sign, such as `json` (RFC 6839); nil where there is none.
    public var suffix: String? {
        guard let plus = essence.utf8.lastIndex(of: UInt8(ascii: "+")), plus > slashIndex else { return nil }
        let suffix = essence.suffix(from: essence.utf8.index(after: plus))
        return suffix.isEmpty ? nil : String(suffix)
    }

    /// The value of a parameter, or nil where it is not there. The name is compared without regard to ASCII case.
    public subscript(parameter name: String) -> String? {
        parameters.first { HeaderFields.matches($0.name, name) }?.value
    }

    /// The same parameters under the essence of another media type.
    package func withEssence(of other: MediaType) -> MediaType {
        MediaType(essence: other.essence, slash: other.slash, parameters: parameters)
    }

    /// The same media type with one more parameter, unless that is there already.
    func adding(_ parameter: Parameter) -> MediaType {
        guard self[parameter: parameter.name] == nil else { return self }
        return MediaType(essence: essence, slash: slash, parameters: parameters + [parameter])
    }

    private var slashIndex: String.Index { essence.utf8.index(essence.startIndex, offsetBy: slash) }
}

extension MediaType: CustomStringConvertible {
    /// The canonical text, values quoted where they must be (WHATWG "serialize a MIME type").
    public var description: String {
        parameters.reduce(into: essence) { text, parameter in
            text += ";\(parameter)"
        }
    }
}

extension MediaType.Parameter: CustomStringConvertible {
    /// `name=value`, the value in quotes where it is not a token.
    public var description: String {
        guard !FieldByte.isToken(value) else { return "\(name)=\(value)" }
        let escaped = value.reduce(into: "") { text, character in
            if character == "\"" || character == "\\" { text.append("\\") }
            text.append(character)
        }
        return "\(name)=\"\(escaped)\""
    }
}
