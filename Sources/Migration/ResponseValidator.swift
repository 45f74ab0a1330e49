public import PatchbayPlatform
public import PatchbayRegistry

/// A check of the head and the bytes of one complete response. A request contains its checks.
///
/// ```swift
/// var request = SessionRequest("report")
/// request.responseValidators = [.contentType(["application/json"]), ResponseValidator { head, _ in
///     guard head.fields["ETag"] != nil else { throw NoETag() }
/// }]
/// ```
///
/// Validators run in order, after the body is complete and the status was found acceptable, and before any serializer.
/// They run after `request.validators`. The first validator that throws ends the call with a `SessionError` of code
/// `validation`; later validators do not run.
///
/// The body of a download is in a file; a closure of three parameters gets the URL of the file. The file is complete
/// and readable, and keeps its hidden name until all validators have accepted it. If the download is refused, the file
/// is removed.
public struct ResponseValidator: Sendable {
    let check: @Sendable (ResponseHead, ResponseBody, URL?) throws -> Void

    /// - Parameter check: throws if the response must not be used. For a download `check` gets an empty body.
    public init(_ check: @escaping @Sendable (ResponseHead, ResponseBody) throws -> Void) {
        self.check = { head, body, _ in try check(head, body) }
    }

    /// - Parameter check: throws if the response must not be used. For a download `check` gets an empty body and the
    ///   file, otherwise the body and nil.
    public init(_ check: @escaping @Sendable (ResponseHead, ResponseBody, _ file: URL?) throws -> Void) {
        self.check = check
    }

    /// - Parameters:
    ///   - head: the status and the fields of the response.
    ///   - body: the bytes of the body; empty for a download.
    ///   - file: the file of a download.
    /// - Throws: the error of the check.
    public func validate(_ head: ResponseHead, _ body: ResponseBody, file: URL? = nil) throws {
        try check(head, body, file)
    }

    /// Whether there are no bytes. A file whose size cannot be read counts as not empty.
    private static func isEmpty(_ body: ResponseBody, _ file: URL?) -> Bool {
        guard let file else { return body.isEmpty }
        let size = try? FileManager.default.attributesOfItem(atPath: file.path(percentEncoded: false))[.size]
        return size as? Int == 0 || size as? UInt64 == 0
    }
}

extension ResponseValidator {
    /// The failures of the validators `status`, `contentType` and `requested`.
    public enum Failure: Error, Sendable, Hashable, CustomStringConvertible {
        case unacceptableStatus(Int)
        /// There is a body, but no valid media type. The value has the acceptable types, sorted.
        case missingContentType(acceptable: [String])
        /// The media type is not acceptable. The values are the acceptable types, sorted, and the essence of the
        /// response's type.
        case unacceptableContentType(acceptable: [String], received: String)

        public var description: String {
            switch self {
            case .unacceptableStatus(let status): "the status \(status) is not acceptable"
            case .missingContentType(let acceptable):
                "there is no Content-Type, and acceptable are \(acceptable.joined(separator: ", "))"
            case .unacceptableContentType(let acceptable, let received):
                "the Content-Type is \(received.prefix(100)), and acceptable are \(acceptable.joined(separator: ", "))"
            }
        }
    }

    /// Requires one of these statuses. A status that the registry's policy refuses never reaches a validator.
    public static func status(_ acceptable: StatusSet = .successful) -> ResponseValidator {
        ResponseValidator { head, _ in
            guard acceptable.contains(head.status) else { throw Failure.unacceptableStatus(head.status) }
        }
    }

    /// Requires one of these media types for a body that is not empty: `type/subtype`, `type/*`, `*/subtype` or `*/*`.
    ///
    /// Parameters and case are ignored on both sides. A missing or invalid type passes only if `*/*` is acceptable.
    public static func contentType(_ acceptable: [String]) -> ResponseValidator {
        let patterns = acceptable.map(AcceptableType.init)
        return ResponseValidator { head, body, file in
            guard !patterns.contains(where: \.isAny), !isEmpty(body, file) else { return }
            guard let received = head.mediaType else {
                throw Failure.missingContentType(acceptable: acceptable.sorted())
            }
            guard patterns.contains(where: { $0.matches(received) }) else {
                throw Failure.unacceptableContentType(acceptable: acceptable.sorted(), received: received.essence)
            }
        }
    }

    /// Requires a media type that the Accept field of the sent request accepts. Without that field, every response
    /// passes.
    public static let requested = ResponseValidator { head, body, file in
        guard let accept = head.request.fields["Accept"] else { return }
        let members = accept.split(separator: ",").map { String($0.prefix { $0 != ";" }.filter { $0 != " " }) }
        try contentType(members).check(head, body, file)
    }
}

/// One acceptable media type of a validator, in Alamofire's four notations. The registry's ranges have no `*/subtype`.
struct AcceptableType: Sendable {
    /// The two halves of `type/subtype`; nil for any other text, which matches no media type.
    private let parts: (type: String, subtype: String)?

    init(_ text: String) {
        let essence = text.prefix { $0 != ";" }.lowercased().split(separator: "/", omittingEmptySubsequences: false)
            .map { $0.drop(while: Self.isBlank).reversed().drop(while: Self.isBlank).reversed() }.map { String($0) }
        parts = essence.count == 2 && !essence.contains("") ? (essence[0], essence[1]) : nil
    }

    var isAny: Bool { parts.map { $0 == ("*", "*") } ?? false }

    func matches(_ mediaType: MediaType) -> Bool {
        guard let parts else { return false }
        return (parts.type == "*" || parts.type == mediaType.type)
            && (parts.subtype == "*" || parts.subtype == mediaType.subtype)
    }

    private static func isBlank(_ character: Character) -> Bool { character == " " || character == "\t" }
}

extension ResponseValidator.Failure: LocalizedError, SafeToPrint {
    public var errorDescription: String? { description }
}
