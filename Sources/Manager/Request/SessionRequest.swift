// From what a sender writes to what a transport is given: target, query, fields, and below this folder parameters, forms and content.

public import PatchbayJSON
public import PatchbayPlatform
public import PatchbayRegistry

/// One request as its sender describes it. What is nil is taken from the manager's configuration or the registry's policy.
public struct SessionRequest: Sendable {
    /// The method, sent as written (RFC 9110, section 9.1: methods are case-sensitive).
    public var method: String
    /// An absolute URL, or a reference that is resolved against the manager's base URL. A query in it is sent as it is written.
    public var target: String
    /// Names and values that are percent-encoded, in their order, and added to the target's query.
    public var query: QueryItems
    /// A query that is percent-encoded already, added after `query`.
    package var escapedQuery: String?
    /// What another module of the package has added: `prepare` carries it out.
    package var addition: (any RequestAddition)?
    /// Fields of this request; each replaces the manager's field of the same name.
    public var headers: HeaderFields
    /// What is sent as the body; nil sends none.
    public var content: RequestContent?
    /// Which statuses are a success; nil: `policy.acceptableStatus`.
    public var acceptableStatus: StatusSet?
    /// What serializes a response with an acceptable status, without matching; nil: the registry chooses.
    public var using: Using?
    /// Ids of entries that neither read the response nor write the body.
    public var excluding: Set<String> = []
    /// How long no byte may move in either direction; nil: the configuration's.
    public var idleTimeout: Duration?
    /// How long the whole call may take, redirects, interceptors and retries included; nil: the configuration's.
    public var totalTimeout: Duration?
    /// A cap on the decoded body, in bytes, below the one that the registry gives.
    public var maximumBodyBytes: Int?
    /// Whether suspending the call's task holds its bodies too, in the middle of a transfer. Such a request goes over HTTP/1.1:
    /// libcurl would hold 32 MiB of HTTP/2. URLSession cannot be paused: its bytes go on arriving, uncompressed, and a call that is
    /// more than 16 MiB behind fails.
    package var holdsBodies = false
    /// Decides which redirects are followed; nil: the handler of the configuration.
    public var redirects: RedirectHandler?
    /// False neither sends nor keeps cookies, also where the configuration has a place for them.
    public var usesCookies = true
    /// Asked after those of the configuration.
    public var interceptors: [any RequestInterceptor] = []
    /// Hears how much of the content has been sent, while bytes move, and for the last time before the call returns, which waits
    /// for it. Called once at a time, never on the transport's thread; what is too fast for it is left out.
    public var onUploadProgress: (@Sendable (TransferProgress) -> Void)?
    /// Hears how much of the response's body has arrived, in the same way.
    public var onDownloadProgress: (@Sendable (TransferProgress) -> Void)?
    /// Checks of the complete response, in order, before any serializer runs and after the status was judged. The first that throws ends
    /// the call with code `validation`, its error as the cause. Of a download they are given no bytes.
    public var validators: [@Sendable (ResponseHead, ResponseBody) throws -> Void] = []
    /// The same that are given the file of a download too, complete and under the hidden name that it has until it is found valid.
    package var fileValidators: [ResponseCheck] = []
    /// All of them, in order.
    var checks: [ResponseCheck] {
        validators.map { validator in { head, body, _ in try validator(head, body) } } + fileValidators
    }
    /// What interceptors put on it, while they are asked.
    var putCredentials: PutCredentials?

    /// A request to what the target names.
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

    /// A request to a URL; one without a scheme is resolved against the manager's base URL.
    public init(url: URL, method: String = "GET", content: RequestContent? = nil) {
        self.init(url.absoluteString, method: method, content: content)
    }

    /// An upload may take as long as it takes.
    var kind: SessionTask.Kind { content?.isStreamed == true ? .upload : .data }

    /// What it changes about the look-up of its response.
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
    /// What serializes a response with an acceptable status, without matching.
    public enum Using: Sendable {
        /// The entry of this id, whatever its types and statuses are.
        case entry(String)
        /// The serializer that a factory of the registry makes of these options, which are those of an entry in a manifest:
        /// `.factory("text", options: ["charsetOverride": "latin1"])`. The call fails with `invalidRequest` and a `ManifestFailure`,
        /// before anything is sent, where there is no such factory or it refuses the options; the sentence quotes the refused one.
        case factory(String, options: JSON = [:])
        /// A serializer of the request's own.
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

/// What another module of the package does to a request, behind the interceptors and before it is checked.
package protocol RequestAddition: Sendable {
    /// - Parameter standard: the addition of the configuration.
    func prepare(_ request: inout SessionRequest, _ standard: (any RequestAddition)?) throws(SessionError)
}

extension SessionRequest {
    /// Carries out the addition, of the request or else of the configuration.
    mutating func prepare(_ standard: (any RequestAddition)?) throws(SessionError) {
        try (addition ?? standard)?.prepare(&self, standard)
    }
}

extension SessionRequest {
    /// The request as a command line of curl, as its sender describes it: without the manager's base URL and header fields.
    ///
    /// Of the query it has the names, and of header fields that may be secret how long they are. The description of a task that
    /// was sent is complete.
    /// - Parameter includingBody: whether the body is shown too, secrets and all; else only its length.
    public func curlDescription(includingBody: Bool = false) -> String {
        curlDescription(includingBody: includingBody, hiding: [])
    }

    /// - Parameter named: segments of the path that are not shown.
    func curlDescription(includingBody: Bool, hiding named: Set<String>) -> String {
        // Content that cannot be made has no body to show; sending it says why.
        let body = try? content?.makeBody()
        var fields = headers
        if let content, fields["Content-Type"] == nil { fields["Content-Type"] = content.contentType }
        return CurlCommand(
            method: method, url: reference, fields: fields, body: body, placeholder: content?.unwritten?.placeholder,
            maskedPathSegments: named
        ).text(includingBody: includingBody)
    }

    /// Where the request goes, its query included. Nil for a relative target until a manager has the request, and where the target leads
    /// nowhere; an interceptor's `adapt` is given it resolved against the base URL.
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
    /// Method, target and fields, without what may be a secret: `POST users?page=*** [Cookie: <9 bytes>], application/json`.
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
