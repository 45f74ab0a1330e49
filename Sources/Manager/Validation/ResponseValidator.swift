public import PatchbayRegistry

/// A check of one complete response, of its head and its bytes, that a request brings along.
///
/// ```swift
/// var request = HTTPRequest("GET", "report")
/// request.validators = [.contentType(["application/json"]), ResponseValidator { head, _ in
///     guard head.fields["ETag"] != nil else { throw NoETag() }
/// }]
/// ```
///
/// Validators run in order once the body is complete and the status was found acceptable, before any serializer. The first
/// that throws ends the call with a `SessionError` of code `validation`; the ones behind it do not run. The body of a download
/// is in its file, and a closure is given none of it.
public struct ResponseValidator: Sendable {
    private let check: @Sendable (ResponseHead, ResponseBody, _ isEmpty: Bool) throws -> Void

    /// - Parameter check: throws where the response is not to be used.
    public init(_ check: @escaping @Sendable (ResponseHead, ResponseBody) throws -> Void) {
        self.check = { head, body, _ in try check(head, body) }
    }

    private init(of check: @escaping @Sendable (ResponseHead, ResponseBody, _ isEmpty: Bool) throws -> Void) {
        self.check = check
    }

    /// - Throws: what the check throws.
    public func validate(_ head: ResponseHead, _ body: ResponseBody) throws { try check(head, body, body.isEmpty) }

    static func judge(_ result: ExchangeResult, by validators: [ResponseValidator]) throws(SessionError) {
        for validator in validators {
            do {
                try validator.check(result.decision.head, result.body, result.body.isEmpty && result.file == nil)
            } catch let error as SessionError {
                throw error
            } catch is CancellationError {
                throw SessionError(ExchangeClock.End.cancelled).with(result.decision.head)
            } catch {
                throw SessionError(invalid: result, error)
            }
        }
    }
}

extension ResponseValidator {
    /// What the validators made here find wrong.
    public enum Failure: Error, Sendable, Hashable, CustomStringConvertible {
        case unacceptableStatus(Int)
        /// There is a body and no readable media type; the acceptable types, sorted.
        case missingContentType(acceptable: [String])
        /// The acceptable types, sorted, and the essence of the response's.
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

    /// The status is one of these; the status that the registry's policy refuses never gets here.
    public static func status(_ acceptable: StatusSet = .successful) -> ResponseValidator {
        ResponseValidator { head, _ in
            guard acceptable.contains(head.status) else { throw Failure.unacceptableStatus(head.status) }
        }
    }

    /// The media type of a body that is not empty is one of these: `type/subtype`, `type/*`, `*/subtype` or `*/*`.
    ///
    /// Parameters count on neither side, nor does case. A missing or invalid type passes only where `*/*` is acceptable.
    public static func contentType(_ acceptable: [String]) -> ResponseValidator {
        let patterns = acceptable.map(AcceptableType.init)
        return ResponseValidator(of: { head, _, isEmpty in
            guard !isEmpty, !patterns.contains(where: \.isAny) else { return }
            guard let received = head.mediaType else {
                throw Failure.missingContentType(acceptable: acceptable.sorted())
            }
            guard patterns.contains(where: { $0.matches(received) }) else {
                throw Failure.unacceptableContentType(acceptable: acceptable.sorted(), received: received.essence)
            }
        })
    }

    /// The media type is one that the Accept field of the request, as it was sent, asked for; without one anything passes.
    public static let requested = ResponseValidator(of: { head, _, isEmpty in
        guard let accept = head.request.fields["Accept"] else { return }
        let members = accept.split(separator: ",").map { String($0.prefix { $0 != ";" }.filter { $0 != " " }) }
        try contentType(members).check(head, .empty, isEmpty)
    })
}
