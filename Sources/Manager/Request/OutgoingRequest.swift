import PatchbayRegistry

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What a request says of its response.
struct ResponseTerms: Sendable {
    let override: LookupOverride
    let redirects: RedirectHandler
    /// The request's own cap on the body, in bytes.
    let maximumBodyBytes: Int?
    let validators: [ResponseValidator]

    init(_ request: HTTPRequest, _ manager: SessionManager) {
        override = request.lookupOverride
        redirects =
            request.followsRedirects ? request.redirectHandler ?? manager.configuration.redirectHandler : .doNotFollow
        maximumBodyBytes = request.maximumBodyBytes
        validators = request.validators
    }
}

/// A checked request, one hop at a time: what is sent, but for the Accept field that each host derives anew.
struct OutgoingRequest {
    var method: String
    var url: URL
    var host: CanonicalHost
    var fields: HeaderFields
    var body: RequestBody?
    /// Where cookies are kept that are sent beside those of the fields; nil: nowhere.
    let cookies: (any CookieStore)?
    let terms: ResponseTerms
    /// Whether a redirect has changed scheme, host or port, and so dropped the credentials for good.
    var hasLeftOrigin = false
    /// What descriptions do not show of the path.
    let maskedPathSegments: Set<String>

    init(_ request: HTTPRequest, of manager: SessionManager) throws(SessionError) {
        terms = ResponseTerms(request, manager)
        cookies = request.usesCookies ? manager.configuration.cookies : nil
        do throws(Refusal) {
            try RequestCheck.check(method: request.method, hasContent: request.content != nil)
            let target = try manager.base.target(
                request.target, query: request.query, encodedQuery: request.encodedQuery)
            var fields = manager.headers
            if let authorization = target.authorization { fields["Authorization"] = authorization }
            fields.replace(with: request.headers)
            if let content = request.content, fields["Content-Type"] == nil {
                fields["Content-Type"] = content.contentType
            }
            try RequestCheck.check(fields)
            method = request.method
            url = target.url
            host = target.host
            self.fields = fields
            maskedPathSegments = manager.base.maskedPathSegments
        } catch {
            throw SessionError(.invalidRequest, "the request was not sent: \(error.reason)")
        }
        do {
            body = try request.content?.makeBody().readAhead(on: manager.io)
        } catch let failure as ContentFailure {
            throw SessionError(.invalidRequest, "the request was not sent: \(failure.reason)", cause: failure)
        } catch {
            throw SessionError(.invalidRequest, "the request was not sent: its content could not be made", cause: error)
        }
    }

    /// The head as it goes on the wire. A request without a body asks for the length of the body as it is, which nobody knows of one
    /// that would be coded while it is sent.
    /// - Parameter accept: what the registry derives for the host; nil sends no such field, or the request's own.
    func head(accept: String?) -> RequestHead {
        var fields = fields
        if let accept { fields.append(accept, for: "Accept") }
        if method == "HEAD", fields["Accept-Encoding"] == nil { fields.append("identity", for: "Accept-Encoding") }
        var head = RequestHead(method: method, url: url, fields: fields)
        head.maskedPathSegments = maskedPathSegments
        return head
    }
}
