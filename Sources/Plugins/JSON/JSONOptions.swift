package import PatchbayJSON
import PatchbayRegistry

/// The options of the factory `json`: the options for reading a document, and two options for writing.
struct JSONOptions: Decodable, Sendable {
    let document: JSONDocumentOptions
    let pretty: Bool?
    let sortedKeys: Bool?

    init(from decoder: any Decoder) throws {
        document = try JSONDocumentOptions(from: decoder)
        let container = try decoder.container(keyedBy: PathKey.self)
        pretty = try container.decodeIfPresent(Bool.self, forKey: .name("pretty"))
        sortedKeys = try container.decodeIfPresent(Bool.self, forKey: .name("sortedKeys"))
    }

    var serializer: JSONSerializer {
        var serializer = document.serializer
        serializer.pretty = pretty ?? false
        serializer.sortedKeys = sortedKeys ?? false
        return serializer
    }
}

/// The options of the factories that read a JSON document.
struct JSONDocumentOptions: Decodable, Sendable {
    let values: JSONValueOptions
    let singleSpaceIsEmpty: Bool?

    init(from decoder: any Decoder) throws {
        values = try JSONValueOptions(from: decoder)
        singleSpaceIsEmpty = try decoder.container(keyedBy: PathKey.self).decodeIfPresent(
            Bool.self, forKey: .name("singleSpaceIsEmpty"))
    }

    var serializer: JSONSerializer {
        var serializer = values.serializer
        serializer.singleSpaceIsEmpty = singleSpaceIsEmpty ?? true
        return serializer
    }
}

/// The options of all JSON factories, whether they read a document or many texts.
package struct JSONValueOptions: Decodable, Sendable {
    package enum DuplicateKeys: String, CaseIterable, Sendable { case last, error }
    package typealias RemoveNulls = JSON.NullRemoval

    var keys: Choice<JSON.CodingOptions.Keys>?
    var dates: Choice<JSON.CodingOptions.Dates>?
    var data: Choice<JSON.DataStrategy>?
    var nonConformingFloats: JSON.FloatStrategy?
    var fragments: Bool?
    var duplicateKeys: Choice<DuplicateKeys>?
    var removeNulls: Choice<RemoveNulls>?

    var serializer: JSONSerializer {
        var serializer = JSONSerializer()
        serializer.parsing.allowsFragments = fragments ?? true
        serializer.parsing.refusesDuplicateKeys = duplicateKeys?.value == .error
        serializer.coding.keys = keys?.value ?? .asIs
        serializer.coding.dates = dates?.value ?? .deferred
        serializer.coding.data = data?.value ?? .base64
        serializer.coding.nonConformingFloats = nonConformingFloats ?? .error
        serializer.removeNulls = removeNulls?.value ?? .none
        return serializer
    }
}

/// The options of a factory whose elements are JSON texts: those of its format, and those of the texts.
struct JSONElementOptions<Format: Decodable & Sendable>: Decodable, Sendable {
    let format: Format
    let values: JSONValueOptions

    init(from decoder: any Decoder) throws {
        format = try Format(from: decoder)
        values = try JSONValueOptions(from: decoder)
    }
}

extension JSON.FloatStrategy: Decodable {
    package init(from decoder: any Decoder) throws {
        if let container = try? decoder.singleValueContainer(), let word = try? container.decode(String.self) {
            guard word == "error" else {
                throw OptionFailure(
                    "nonConformingFloats", "is \"\(word)\", and must be \"error\" or an object of three strings")
            }
            self = .error
            return
        }
        let options = try decoder.container(keyedBy: PathKey.self)
        self = .convert(
            positiveInfinity: try options.decode(String.self, forKey: .name("positiveInfinity")),
            negativeInfinity: try options.decode(String.self, forKey: .name("negativeInfinity")),
            nan: try options.decode(String.self, forKey: .name("nan")))
    }
}

/// How to handle an unreadable element among readable ones.
package enum BadElements: String, Sendable, Hashable, CaseIterable {
    /// The body is refused at the element.
    case error
    /// The element is skipped, and counted in `ElementParser.skippedElements`.
    case skip
}
