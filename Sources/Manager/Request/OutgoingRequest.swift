import PatchbayPlatform
import PatchbayRegistry

extension SessionRequest {
    /// Checks the request and makes the `OutgoingRequest`. This is a method, because an initializer would get a copy of
    /// the request.
    /// - Parameters:
    ///   - registry: the registry whose entries and factories the request can name.
    ///   - credentials: the credentials that interceptors put on the request.
    ///   - written: on entry, the content that the last attempt wrote; on return, the content that this attempt wrote.
    func outgoing(
        of manager: SessionManager, _ registry: SerializerRegistry, _ credentials: Adaptation? = nil,
        _ written: inout WrittenContent?
    ) throws(SessionError) -> OutgoingRequest {
        var (resolved, fields): (RequestTarget, HeaderFields)
        do throws(Refusal) {
            try RequestCheck.check(method: method, hasContent: content != nil)
            if let trailers = content?.trailers { try RequestCheck.check(trailers: trailers.names) }
            resolved = try manager.base.target(of: self)
            fields = try checkedFields(manager, resolved, credentials)
        } catch {
            throw SessionError(.invalidRequest, "the request was not sent: \(error.reason)")
        }
        // The override is checked before the content is made, because some content can be made only once.
        let override = try lookupOverride(registry)
        do throws(SessionError) {
            written = try content?.unwritten?.written(
                fields["Content-Type"], for: resolved.host, at: resolved.url, by: registry, excluding: excluding,
                written)
        } catch {
            var head = RequestHead(method: method, url: resolved.url, fields: fields)
            head.maskedPathSegments = manager.base.maskedPathSegments
            throw error.with(head)
        }
        if let written { fields["Content-Type"] = written.contentType }
        let body: RequestBody?
        do {
            body = try readBody(written?.makeBody ?? content?.makeBody, on: manager.io, &fields)
        } catch let failure as SessionError {
            throw failure
        } catch let failure as ContentFailure {
            throw SessionError(.invalidRequest, "the request was not sent: \(failure.reason)", cause: failure)
        } catch {
            throw SessionError(.invalidRequest, "the request was not sent: its content could not be made", cause: error)
        }
        return OutgoingRequest(
            method: method, url: resolved.url, host: resolved.host, template: template(for: manager), fields: fields,
            body: body, cookies: usesCookies ? manager.configuration.cookies : nil,
            terms: ResponseTerms(
                override: override, redirects: redirects ?? manager.configuration.redirects,
                validators: validators.map { validator in { head, body, _ in try validator(head, body) } }
                    + (hook?.checks ?? []), writer: written?.lookup),
            credentialFields: credentials.map { manager.configuration.credentialFields + $0.names }
                ?? manager.configuration.credentialFields,
            maskedPathSegments: manager.base.maskedPathSegments)
    }

    /// Makes the body with its content coding and its trailers. The body is read on a thread that is allowed to block.
    private func readBody(
        _ make: (@Sendable () throws -> RequestBody)?, on io: IOExecutor, _ fields: inout HeaderFields
    ) throws -> RequestBody? {
        guard var body = try make?() else { return nil }
        if let length = body.length, length < 0 {
            throw ContentFailure(.wrongLength, "its content cannot have \(length) bytes")
        }
        if let hook, let data = body.data, !data.isEmpty, let coded = try hook.coded(data) {
            body = .data(coded.data)
            fields["Content-Encoding"] = coded.name
        }
        guard let trailers = content?.trailers else { return body.readAhead(on: io) }
        return .source(FetchedSource(body.reader, trailers, on: io))
    }

    /// The fields that are sent, except Accept: the manager's fields, the target's Authorization, and the request's
    /// headers. Later fields replace earlier fields of the same name.
    private func checkedFields(
        _ manager: SessionManager, _ target: RequestTarget, _ credentials: Adaptation?
    ) throws(Refusal) -> HeaderFields {
        var (fields, headers) = (manager.headers, headers)
        if !target.isBelowBase, !manager.credentialScope.isUnknown, !manager.credentialScope.covers(target) {
            for name in manager.configuration.credentialFields { fields[name] = nil }
        }
        if let authorization = target.authorization { fields["Authorization"] = authorization }
        try credentials?.takeBack(from: &headers, for: target)
        fields.replace(with: headers)
        if let content, content.unwritten == nil, fields["Content-Type"] == nil {
            fields["Content-Type"] = content.contentType
        }
        if let trailers = content?.trailers, fields["Trailer"] == nil {
            fields.append(trailers.names.joined(separator: ", "), for: "Trailer")
        }
        try RequestCheck.check(fields)
        return fields
    }
}

/// The settings of a request for its response, and the look-up of the entry that wrote its body.
struct ResponseTerms: Sendable {
    let override: LookupOverride
    let redirects: RedirectHandler
    let validators: [ResponseCheck]
    /// The look-up of the entry that wrote the body; nil if no look-up was needed.
    let writer: WriterLookup?
}

/// A checked request for one exchange, without the Accept field, which is derived for each host.
struct OutgoingRequest {
    var method: String
    var url: URL
    var host: CanonicalHost
    /// The whole path of the template that the URL was made of; nil behind a redirect, and if nobody observes the manager.
    var template: String?
    var fields: HeaderFields
    var body: RequestBody?
    /// The jar whose cookies are sent in addition to the cookies in the fields, and that stores the cookies of the
    /// response; nil if no jar is used.
    let cookies: CookieJar?
    let terms: ResponseTerms
    /// The names of the fields that are dropped when a redirect leaves the origin.
    let credentialFields: [String]
    /// Whether a redirect has changed scheme, host or port. Then the credentials stay dropped.
    var hasLeftOrigin = false
    /// Whether a later request can ask for the rest of the content.
    var isResumable = false
    let maskedPathSegments: Set<String>

    /// The head that is sent.
    /// - Parameters:
    ///   - accept: the Accept value that the registry derives for the host. If nil, no Accept field is added.
    ///   - isFresh: whether to send `Cache-Control: no-cache`, unless the request has a Cache-Control field.
    func head(accept: String?, isFresh: Bool) -> RequestHead {
        var fields = fields
        if isFresh, fields["Cache-Control"] == nil { fields.append("no-cache", for: "Cache-Control") }
        if let accept { fields.append(accept, for: "Accept") }
        acceptIdentity(&fields)
        var head = RequestHead(method: method, url: url, fields: fields)
        head.maskedPathSegments = maskedPathSegments
        return head
    }

    /// Accepts only content without a coding where bytes of the content are counted, unless the fields say which codings
    /// are accepted. A range counts the bytes of the coded content, and a server can code the same content into other
    /// bytes the next time (RFC 9110, sections 8.8.3.3 and 14.1.2). The length of content that is coded while it is sent
    /// is unknown.
    func acceptIdentity(_ fields: inout HeaderFields) {
        guard method == "HEAD" || isResumable || fields["Range"] != nil, fields["Accept-Encoding"] == nil else {
            return
        }
        fields.append("identity", for: "Accept-Encoding")
    }
}

/// The base of relative targets, parsed once for all calls of a manager.
final class RequestBase: Sendable {
    /// A base that a plain path can be appended to: `http://host`, with the port if the base URL has one; the origin and
    /// the path, through the last slash; and the host.
    private typealias Plain = (origin: String, folder: String, host: CanonicalHost)

    private let url: URL?
    private let plain: Plain?
    /// The path segments that are masked in descriptions of a request.
    let maskedPathSegments: Set<String>

    init(_ url: URL?, maskedPathSegments: Set<String> = []) {
        self.url = url
        self.maskedPathSegments = maskedPathSegments
        plain = url.flatMap { Self.plain($0) }
    }

    /// Resolves the target of a request: appends a plain target to the base, and resolves any other target with
    /// Foundation. A refusal shows the template instead of a target that has values.
    func target(of request: SessionRequest) throws(Refusal) -> RequestTarget {
        try request.targetTemplate?.check(masking: maskedPathSegments)
        let (target, encodedQuery) = (request.target, request.hook?.encodedQuery)
        if let plain, request.query.isEmpty, encodedQuery == nil, Self.isPlain(target),
            let url = URL(string: (target.utf8.first == UInt8(ascii: "/") ? plain.origin : plain.folder) + target)
        {
            return RequestTarget(belowBase: url, host: plain.host)
        }
        return try RequestTarget(
            target, query: request.query, encodedQuery: encodedQuery, base: url, masking: maskedPathSegments,
            shown: request.template)
    }

    /// The whole path of a template, with the path of the base URL: `/v1/users/{id}` for `users/{id}`.
    func path(ofTemplate text: String) -> String? {
        let path = text.prefix { !"?#".contains($0) }
        if let plain, Self.isPlain(path.filter { !"{}".contains($0) }) {
            return String(path.first == "/" ? path : plain.folder.dropFirst(plain.origin.count) + path)
        }
        // The braces are escaped with the other characters that a URL cannot have.
        let target = try? RequestTarget(String(path), base: url)
        return target?.url.path(percentEncoded: true).replacing("%7B", with: "{").replacing("%7D", with: "}")
    }

    /// Derives the plain base from two targets that Foundation resolves. Returns nil if the base has credentials, or if
    /// no request can be sent to the base.
    private static func plain(_ url: URL) -> Plain? {
        guard let inFolder = try? RequestTarget("x", base: url), let atTop = try? RequestTarget("/x", base: url),
            inFolder.authorization == nil
        else { return nil }
        return (
            String(atTop.url.absoluteString.dropLast(2)), String(inFolder.url.absoluteString.dropLast()), inFolder.host
        )
    }

    /// Whether the text is a path of letters, digits and `-._~/`, in which no segment is empty or begins with a dot,
    /// optionally with a query of letters, digits and `-._~=&,+`. Nothing in such a text is encoded, removed, or taken
    /// for a scheme or a host (RFC 3986, section 5.2).
    private static func isPlain(_ target: String) -> Bool {
        var before: UInt8?
        var isQuery = false
        for byte in target.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "~"):
                break
            case UInt8(ascii: ".") where isQuery || (before != nil && before != UInt8(ascii: "/")): break
            case UInt8(ascii: "/") where !isQuery && before != UInt8(ascii: "/"): break
            case UInt8(ascii: "?") where !isQuery && before != nil: isQuery = true
            case _ where isQuery && "=&,+".utf8.contains(byte): break
            default: return false
            }
            before = byte
        }
        return before != nil
    }
}
