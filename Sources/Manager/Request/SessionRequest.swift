// Requests as their sender writes them and as a transport gets them: target, query and fields. `Content` has the
// bodies.

public import PatchbayJSON
public import PatchbayPlatform
public import PatchbayRegistry

/// One request as its sender describes it. A nil setting falls back to the manager's configuration or the registry's
/// policy.
public struct SessionRequest: Sendable {
    /// The method, sent as written (RFC 9110, section 9.1: methods are case-sensitive).
    public var method: String
    /// An absolute URL, or a reference that is resolved against the manager's base URL. A query in it is sent as it is
    /// written.
    public var target: String
    /// Names and values, in their order. They are percent-encoded and added to the target's query.
    public var query: QueryItems
    /// A query that is percent-encoded already, added after `query`.
    package var escapedQuery: String?
    /// A change by another module of the package; `prepare` applies it.
    package var addition: (any RequestAddition)?
    /// Fields of this request; each replaces the manager's field of the same name.
    public var headers: HeaderFields
    /// The body; nil sends none.
    public var content: RequestContent?
    /// The statuses that are a success; nil: `policy.acceptableStatus`.
    public var acceptableStatus: StatusSet?
    /// The serializer for a response with an acceptable status, used without matching; nil: the registry chooses.
    public var using: Using?
    /// Ids of entries that neither read the response nor write the body.
    public var excluding: Set<String> = []
    /// The longest time without a byte in either direction; nil: the configuration's.
    public var idleTimeout: Duration?
    /// The longest time for the whole call, including redirects, interceptors and retries; nil: the configuration's.
    public var totalTimeout: Duration?
    /// A limit for the decoded body, in bytes. It can only lower the limit of the registry.
    public var maximumBodyBytes: Int?
    /// Whether suspending the call's task also pauses its bodies in the middle of a transfer. Such a request goes over
    /// HTTP/1.1: with HTTP/2, libcurl would buffer 32 MiB. URLSession cannot be paused: its bytes keep arriving,
    /// uncompressed, and a call that is more than 16 MiB behind fails.
    package var holdsBodies = false
    /// Decides which redirects are followed; nil: the handler of the configuration.
    public var redirects: RedirectHandler?
    /// False neither sends nor stores cookies, even if the configuration has a cookie jar.
    public var usesCookies = true
    /// The interceptors of this request. They are asked after those of the configuration.
    public var interceptors: [any RequestInterceptor] = []
    /// Called with the progress of the upload while bytes move, and a last time before the call returns. The call waits
    /// for it. Calls never overlap and never run on the transport's thread. Progress that arrives faster than it can be
    /// handled is skipped.
    public var onUploadProgress: (@Sendable (TransferProgress) -> Void)?
    /// Called with the progress of the response's body, in the same way.
    public var onDownloadProgress: (@Sendable (TransferProgress) -> Void)?
    /// Checks of the complete response, run in order, after the status was checked and before any serializer runs. The
    /// first that throws ends the call with code `validation`, its error as the cause. For a download they are given no
    /// bytes.
    public var validators: [@Sendable (ResponseHead, ResponseBody) throws -> Void] = []
    /// Checks that are also given the file of a download. The file is complete and keeps its hidden name until it is
    /// found valid.
    package var fileValidators: [ResponseCheck] = []
    /// All checks, in order.
    var checks: [ResponseCheck] {
        validators.map { validator in { head, body, _ in try validator(head, body) } } + fileValidators
    }
    /// The credentials that interceptors put on the request; set while the interceptors run.
    var putCredentials: PutCredentials?

    /// A request to a target.
    public init(
        _ target: String, method: String = "GET", content: RequestContent? = nil, query: QueryItems = [],
        headers: HeaderFields = [:]
    ) {
        (self.method, self.target, self.content) = (method, target, content)
        (self.query, self.headers) = (query, headers)
    }

    /// A request with a value as its content, written as `RequestContent.value(_:in:)` says.
    public init(
        _ target: String, method: String = "POST", body: any Encodable & Sendable, in contentType: MediaType? = nil,
        query: QueryItems = [], headers: HeaderFields = [:]
    ) {
        self.init(target, method: method, content: .value(body, in: contentType), query: query, headers: headers)
    }

    /// A request to a URL. A URL without a scheme is resolved against the manager's base URL.
    public init(url: URL, method: String = "GET", content: RequestContent? = nil) {
        self.init(url.absoluteString, method: method, content: content)
    }

    /// Streamed content makes it an upload, which has no default total timeout.
    var kind: SessionTask.Kind { content?.isStreamed == true ? .upload : .data }

    /// The changes that the request makes to the look-up of its response.
    func lookupOverride(_ registry: SerializerRegistry) throws(SessionError) -> LookupOverride {
        guard using != nil || !excluding.isEmpty || acceptableStatus != nil else { return .none }
        let using: LookupOverride.Using?
        switch self.using {
        case nil: using = nil
        case .entry(let id): using = .entry(id)
        case .serializer(let serializer): using = .serializer(serializer)
        case .factory(let name, let options):
            do throws(ManifestFailure) {
                using = .serializer(try registry.serializer(factory: name, options: options))
            } catch {
                let reasons = error.issues.map(\.description).joined(separator: "; ")
                throw SessionError(.invalidRequest, "the request was not sent: \(reasons)", cause: error)
            }
        }
        return LookupOverride(using: using, excluding: excluding, acceptableStatus: acceptableStatus)
    }
}

extension SessionRequest {
    /// The serializer of a response with an acceptable status, chosen without matching.
    public enum Using: Sendable {
        /// The entry with this id; its types and statuses are ignored.
        case entry(String)
        /// The serializer that a factory of the registry makes with these options, written as an entry's options in a
        /// manifest: `.factory("text", options: ["charsetOverride": "latin1"])`. If there is no such factory, or it
        /// refuses the options, the call fails with `invalidRequest` and a `ManifestFailure` before anything is sent.
        /// The sentence quotes the refused option.
        case factory(String, options: JSON = [:])
        /// This serializer.
        case serializer(any ResponseSerializer)
    }
}

extension SessionRequest.Using: CustomStringConvertible, CustomReflectable {
    /// `the entry json`
    public var description: String {
        switch self {
        case .entry(let id): "the entry \(id)"
        case .factory(let name, _): "the factory \(name)"
        case .serializer(let serializer): "\(type(of: serializer))"
        }
    }
    public var customMirror: Mirror { Mirror(described: self) }
}

/// A change that another module of the package makes to a request, after the interceptors and before the checks.
package protocol RequestAddition: Sendable {
    /// - Parameter standard: the addition of the configuration.
    func prepare(_ request: inout SessionRequest, _ standard: (any RequestAddition)?) throws(SessionError)
}

extension SessionRequest {
    /// Applies the addition of the request, or else of the configuration.
    mutating func prepare(_ standard: (any RequestAddition)?) throws(SessionError) {
        try (addition ?? standard)?.prepare(&self, standard)
    }
}

extension SessionRequest {
    /// The request as a command line of curl, as its sender describes it: without the manager's base URL and header
    /// fields.
    ///
    /// It shows only the names of the query, and only the lengths of header fields that may be secret. The description
    /// of a task that was sent is complete.
    /// - Parameter includingBody: whether to show the body, with any secrets in it; else only its length is shown.
    public func curlDescription(includingBody: Bool = false) -> String {
        curlDescription(includingBody: includingBody, hiding: [])
    }

    /// - Parameter named: segments of the path that are not shown.
    func curlDescription(includingBody: Bool, hiding named: Set<String>) -> String {
        // If the content cannot be made, no body is shown; sending reports the error.
        let body = try? content?.makeBody()
        var fields = headers
        if let content, fields["Content-Type"] == nil { fields["Content-Type"] = content.contentType }
        return CurlCommand(
            method: method, url: reference, fields: fields, body: body, placeholder: content?.unwritten?.placeholder,
            maskedPathSegments: named
        ).text(includingBody: includingBody)
    }

    /// The URL of the request, including its query. Nil for a relative target until a manager has the request, and for
    /// a target that is not valid. In an interceptor's `adapt`, it is resolved against the base URL.
    public var url: URL? {
        let base = putCredentials?.base ?? RequestBase(nil)
        return try? base.target(target, query: query, encodedQuery: escapedQuery).url
    }

    /// The target with its query, as far as it is known without a base URL.
    var reference: String {
        let added = [query.isEmpty ? nil : query.encoded, escapedQuery].compactMap(\.self)
        return added.isEmpty ? target : target + (target.contains("?") ? "&" : "?") + added.joined(separator: "&")
    }
}

extension SessionRequest: CustomStringConvertible, CustomReflectable {
    /// Method, target and fields, with possible secrets masked:
    /// `POST users?page=*** [Cookie: <9 bytes>], application/json`.
    public var description: String { description(hiding: []) }

    /// - Parameter named: segments of the path that are not shown.
    func description(hiding named: Set<String>) -> String {
        "\(method) \(Redaction.masked(reference, named: named))" + (headers.isEmpty ? "" : " \(headers)")
            + (content.map { ", \($0)" } ?? "")
    }

    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "method": method, "target": Redaction.masked(reference), "addition": addition as Any,
                "headers": headers,
                "content": content as Any, "using": using as Any,
                "excluding": excluding.sorted(), "acceptableStatus": acceptableStatus as Any,
            ], displayStyle: .struct)
    }
}

/// A check of a response: its head, its bytes, and of a download its file.
package typealias ResponseCheck = @Sendable (ResponseHead, ResponseBody, URL?) throws -> Void
