// AFNetworking's way to serialize a response that failed: value and error together, with AFNetworking's domains and
// codes.

public import Foundation
public import PatchbayJSON
public import PatchbayPlugins
public import PatchbayRegistry

/// A serializer that validates like AFNetworking's serializers and gives the same results, for code that was written
/// for AFNetworking.
///
/// The serializer checks the status and the media type itself, and gives an object and an error together: a 404 with a
/// JSON body gives the JSON and an error of code -1011. In new code, use `send` and `SessionError`, which carries the
/// decoded body.
///
/// ```swift
/// let pair = await manager.pair(SessionRequest("GET", "users/1"), .json)
/// ```
public struct LegacySerializer<Object: Sendable>: Sendable {
    /// The statuses that pass; nil means that every status passes.
    public var acceptableStatus: StatusSet? = .successful
    /// The essences that pass, compared exactly and in lower case; nil means that every type passes.
    public var acceptableContentTypes: Set<String>?
    /// Whether the object is made even if validation fails, as in `http`.
    private let isUnconditional: Bool
    private let make: @Sendable (ResponseBody, ResponseHead) throws -> Object?

    /// A serializer that makes an object unless the media type is not acceptable.
    ///
    /// - Parameters:
    ///   - serializer: runs over a body that is not empty. If it throws, the error of the validation becomes the
    ///     underlying error of the thrown error.
    ///   - acceptableContentTypes: the media types that pass the validation; nil for all media types.
    public init(_ serializer: some ResponseSerializer<Object>, acceptableContentTypes: Set<String>?) {
        self.init(acceptableContentTypes, isUnconditional: false) { body, head in
            body.isEmpty ? nil : try serializer.serialize(body, head)
        }
    }

    fileprivate init(
        _ acceptableContentTypes: Set<String>?, isUnconditional: Bool,
        _ make: @escaping @Sendable (ResponseBody, ResponseHead) throws -> Object?
    ) {
        self.acceptableContentTypes = acceptableContentTypes
        self.isUnconditional = isUnconditional
        self.make = make
    }

    /// Whether the response passes, and the error if it does not. A missing response passes.
    ///
    /// An empty body with an unacceptable media type is not valid and has no error.
    public func validate(_ head: ResponseHead?, _ body: ResponseBody?) -> (isValid: Bool, error: NSError?) {
        guard let head else { return (true, nil) }
        var isValid = true
        var error: NSError?
        let isEmpty = body?.isEmpty ?? true
        if let acceptableContentTypes, !(head.mediaType.map { acceptableContentTypes.contains($0.essence) } ?? isEmpty)
        {
            isValid = false
            if !isEmpty { error = LegacyError.unacceptableContentType(head, body) }
        }
        if let acceptableStatus, !acceptableStatus.contains(head.status) {
            isValid = false
            error = LegacyError.unacceptableStatus(head, body).over(error)
        }
        return (isValid, error)
    }

    /// The object, the error, or both.
    public func pair(_ head: ResponseHead?, _ body: ResponseBody?) -> LegacyPair<Object> {
        let invalid = validate(head, body)
        guard let head, let body else { return LegacyPair(object: nil, error: invalid.error) }
        if !isUnconditional, !invalid.isValid,
            invalid.error.map({ $0.hasCode(LegacyError.contentTypeCode, in: LegacyError.domain) }) ?? true
        {
            return LegacyPair(object: nil, error: invalid.error)
        }
        do {
            return LegacyPair(object: try make(body, head), error: invalid.error)
        } catch {
            return LegacyPair(object: nil, error: (error as NSError).over(invalid.error))
        }
    }
}

extension LegacySerializer<ResponseBody> {
    /// The base serializer: always the bytes, together with the validation's error.
    public static var http: LegacySerializer {
        LegacySerializer(nil, isUnconditional: true) { body, _ in body }
    }
}

extension LegacySerializer<JSON> {
    /// JSON with the three media types that AFNetworking accepts. A body of one space gives no object and no error.
    public static var json: LegacySerializer {
        let types: Set = ["application/json", "text/json", "text/javascript"]
        return LegacySerializer(types, isUnconditional: false) { body, head in
            // A plain nil would be the JSON null.
            guard !body.isEmpty, !body.data.elementsEqual(" ".utf8) else { return JSON?.none }
            return try JSONSerializer().serialize(body, head)
        }
    }
}

extension LegacySerializer<PropertyList> {
    /// Property lists under `application/x-plist`.
    public static var propertyList: LegacySerializer {
        LegacySerializer(PropertyListSerializer(), acceptableContentTypes: ["application/x-plist"])
    }
}

extension LegacySerializer<XMLTree> {
    /// XML documents under `application/xml` and `text/xml`.
    public static var xmlDocument: LegacySerializer {
        LegacySerializer(XMLDocumentSerializer(), acceptableContentTypes: ["application/xml", "text/xml"])
    }
}
