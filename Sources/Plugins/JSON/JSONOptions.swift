import PatchbayJSON

/// The options of the factories that read JSON.
public struct JSONOptions: Decodable, Sendable {
    /// `"last"` (the default) or `"error"`.
    enum DuplicateKeys: String, CaseIterable, Sendable { case last, error }
    /// `"none"` (the default), `"keys"` or `"keysAndElements"`.
    enum RemoveNulls: String, CaseIterable, Sendable { case none, keys, keysAndElements }

    /// What stands for the numbers that JSON does not have.
    enum NonConformingFloats: Decodable, Sendable {
        case error
        case strings(positiveInfinity: String, negativeInfinity: String, nan: String)

        private enum Keys: String, CodingKey { case positiveInfinity, negativeInfinity, nan }

        init(from decoder: any Decoder) throws {
            if let container = try? decoder.singleValueContainer(), let word = try? container.decode(String.self) {
                guard word == "error" else {
                    throw InvalidOption(
                        "nonConformingFloats", "is \"\(word)\", and must be \"error\" or an object of three strings")
                }
                self = .error
                return
            }
            let container = try decoder.container(keyedBy: Keys.self)
            self = .strings(
                positiveInfinity: try container.decode(String.self, forKey: .positiveInfinity),
                negativeInfinity: try container.decode(String.self, forKey: .negativeInfinity),
                nan: try container.decode(String.self, forKey: .nan))
        }
    }

    /// `"asIs"` (the default) or `"snakeCase"`.
    var keys: Choice<JSON.KeyStrategy>?
    /// `"deferred"` (the default), `"iso8601"`, `"secondsSince1970"` or `"millisecondsSince1970"`.
    var dates: Choice<JSON.DateStrategy>?
    /// `"base64"` (the default) or `"deferred"`.
    var data: Choice<JSON.DataStrategy>?
    /// `"error"` (the default), or `{"positiveInfinity": …, "negativeInfinity": …, "nan": …}`.
    var nonConformingFloats: NonConformingFloats?
    /// Whether a document may be a single value; the default is true.
    var fragments: Bool?
    var duplicateKeys: Choice<DuplicateKeys>?
    var removeNulls: Choice<RemoveNulls>?
    /// Whether a body of one space stands for no value; the default is true.
    var singleSpaceIsEmpty: Bool?

    /// The serializer that they describe.
    var serializer: JSONResponseSerializer {
        var serializer = JSONResponseSerializer()
        serializer.parsing.fragments = fragments ?? true
        serializer.parsing.duplicateKeys = duplicateKeys?.value == .error ? .error : .lastWins
        serializer.decoding.keys = keys?.value ?? .asIs
        serializer.decoding.dates = dates?.value ?? .deferred
        serializer.decoding.data = data?.value ?? .base64
        if case .strings(let positive, let negative, let nan)? = nonConformingFloats {
            serializer.decoding.nonConformingFloats = .convert(
                positiveInfinity: positive, negativeInfinity: negative, nan: nan)
        }
        serializer.removeNulls =
            switch removeNulls?.value ?? .none {
            case .none: nil
            case .keys: .keys
            case .keysAndElements: .keysAndElements
            }
        serializer.singleSpaceIsEmpty = singleSpaceIsEmpty ?? true
        return serializer
    }
}
