import PatchbayJSON
package import PatchbayRegistry

/// Reads a whole XML document into an immutable tree.
package struct XMLDocumentSerializer: ResponseSerializer, NeverDecliningSerializer {
    package let limits: XMLLimits
    /// The charset that replaces those of the response and the document; nil for none. A byte order mark takes precedence.
    package let charsetOverride: String?

    package init(limits: XMLLimits = .standard, charsetOverride: String? = nil) {
        self.limits = limits
        self.charsetOverride = charsetOverride
    }

    /// Declines if libxml2 is missing, so that the next entry can read the response.
    package func declineReason(_ head: ResponseHead) -> String? { Libxml2.gap }

    /// - Throws: `XMLFailure` if the document is not well-formed, exceeds a limit or has a forbidden declaration.
    package func serialize(_ body: ResponseBody, _ head: ResponseHead) throws -> XMLTree {
        do throws(XMLFailure) {
            return try XMLTree(try XMLText(body, head.contentType, limits, charsetOverride: charsetOverride))
        } catch {
            throw body.withUnsafeBytes { error.knowing($0) }
        }
    }
}

/// Reads a whole XML document into an immutable tree, and decodes any `Decodable` from the tree: the serializer for the
/// option `"decodes": true` of `xml-document`.
///
/// A separate type, so that an entry decodes only with the option `"decodes": true`. A decoding entry is considered for
/// every `Decodable` type, and its media types are in the `Accept` of calls that want such a type.
package struct XMLDecodingSerializer: DecodingSerializer, NeverDecliningSerializer {
    var document = XMLDocumentSerializer()

    /// Declines if libxml2 is missing, so that the next entry can read the response.
    package func declineReason(_ head: ResponseHead) -> String? { Libxml2.gap }

    /// - Throws: `XMLFailure` if the document is not well-formed, exceeds a limit or has a forbidden declaration.
    package func serialize(_ body: ResponseBody, _ head: ResponseHead) throws -> XMLTree {
        try document.serialize(body, head)
    }

    /// Decodes the type by the rules of ``XMLTree/Element/decode(_:)``.
    /// - Throws: the errors of `serialize`, and `DecodingError` if the document doesn't match the type.
    package func decode<Value: Decodable & Sendable>(
        _ type: Value.Type, from body: ResponseBody, _ head: ResponseHead
    ) throws -> Value {
        try serialize(body, head).decode(type)
    }
}

extension XMLDocumentSerializer: DecodingByOption {
    package var decodingOption: String { #""decodes": true"# }
}

/// The options of `"factory": "xml-document"`: the options of both XML factories, and `decodes`.
struct XMLDocumentOptions: Decodable, Sendable {
    let xml: XMLOptions
    let decodes: Bool?

    init(from decoder: any Decoder) throws {
        xml = try XMLOptions(from: decoder)
        decodes = try decoder.container(keyedBy: PathKey.self).decodeIfPresent(Bool.self, forKey: .name("decodes"))
    }

    func serializer(_ context: FactoryContext) throws -> any Serializer {
        let document = XMLDocumentSerializer(
            limits: try xml.limits(maximumBodyBytes: context.maximumBodyBytes),
            charsetOverride: try xml.checkedCharset())
        return decodes == true ? XMLDecodingSerializer(document: document) : document
    }
}
