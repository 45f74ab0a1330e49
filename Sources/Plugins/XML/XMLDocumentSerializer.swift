package import PatchbayRegistry

/// Reads a whole XML document into an immutable tree.
package struct XMLDocumentSerializer: ResponseSerializer, NeverDecliningSerializer {
    package let limits: XMLLimits

    package init(limits: XMLLimits = .standard) {
        self.limits = limits
    }

    /// The response is the next entry's where libxml2 is missing.
    package func declineReason(_ head: ResponseHead) -> String? { Libxml2.gap }

    /// - Throws: `XMLFailure` where the document is not well-formed, passes a limit or has a forbidden declaration.
    package func serialize(_ body: ResponseBody, _ head: ResponseHead) throws -> XMLTree {
        try XMLTree(try XMLText(body, head.contentType, limits))
    }
}

/// Reads a whole XML document into an immutable tree, and makes any `Decodable` from the tree: what the option `"decodes": true` of
/// `xml-document` stands for.
///
/// It is a type of its own so that an entry decodes only where it is said to: one that does is asked for every `Decodable` type, and is
/// named in the `Accept` of calls that want one.
package struct XMLDecodingSerializer: DecodingSerializer, NeverDecliningSerializer {
    private let document: XMLDocumentSerializer

    package init(limits: XMLLimits = .standard) {
        document = XMLDocumentSerializer(limits: limits)
    }

    /// The response is the next entry's where libxml2 is missing.
    package func declineReason(_ head: ResponseHead) -> String? { Libxml2.gap }

    /// - Throws: `XMLFailure` where the document is not well-formed, passes a limit or has a forbidden declaration.
    package func serialize(_ body: ResponseBody, _ head: ResponseHead) throws -> XMLTree {
        try document.serialize(body, head)
    }

    /// Decodes the type by the rules of ``XMLTree/Element/decode(_:)``.
    /// - Throws: the same, and `DecodingError` where the document is of another shape than the type.
    package func decode<Value: Decodable & Sendable>(
        _ type: Value.Type, from body: ResponseBody, _ head: ResponseHead
    ) throws -> Value {
        try serialize(body, head).decode(type)
    }
}

extension XMLDocumentSerializer: DecodingByOption {
    package var decodingOption: String { #""decodes": true"# }
}

/// The options of `"factory": "xml-document"`: those of both XML factories, and one more.
struct XMLDocumentOptions: Decodable, Sendable {
    let xml: XMLOptions
    /// Whether the entry makes any `Decodable`; the default is false.
    let decodes: Bool?

    private enum Keys: CodingKey { case decodes }

    init(from decoder: any Decoder) throws {
        xml = try XMLOptions(from: decoder)
        decodes = try decoder.container(keyedBy: Keys.self).decodeIfPresent(Bool.self, forKey: .decodes)
    }
}

struct XMLDocumentFactory: SerializerFactory {
    static let name = "xml-document"

    func makeSerializer(
        _ options: XMLDocumentOptions, _ context: FactoryContext
    ) throws -> any Serializer {
        let limits = try options.xml.limits(maximumBodyBytes: context.maximumBodyBytes)
        return options.decodes == true
            ? XMLDecodingSerializer(limits: limits) : XMLDocumentSerializer(limits: limits)
    }
}
