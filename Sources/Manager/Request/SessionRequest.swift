// Requests as the caller writes them and as a transport gets them: target, query and fields. The folder Content has the
// bodies.

public import PatchbayJSON
public import PatchbayPlatform
public import PatchbayRegistry

/// One request as the caller describes it. If a setting is nil, the manager's configuration or the registry's policy
/// decides.
public struct SessionRequest: Sendable {
    /// The method, sent as written (RFC 9110, section 9.1: methods are case-sensitive).
    public var method: String
    /// An absolute URL, or a reference that is resolved against the manager's base URL. A query in the target is sent
    /// as it is written.
    public var target: String
    /// Names and values, in their order. The query is percent-encoded and added to the target's query.
    public var query: QueryItems
    /// What another module of the package adds to the request.
    package var hook: (any CallHook)?
    /// Fields of this request; each replaces the manager's field of the same name.
    public var headers: HeaderFields
    /// The body; nil for a request without a body.
    public var content: RequestContent?
    /// The statuses that are a success. If nil, `policy.acceptableStatus` applies.
    public var acceptableStatus: StatusSet?
    /// The serializer for a response with an acceptable status, used whatever the media type of the response is. If
    /// nil, the registry chooses the serializer.
    public var using: Using?
    /// The ids of entries that must neither read the response nor write the body.
    public var excluding: Set<String> = []
    /// The longest time without a byte in either direction. If nil, the configuration's time applies.
    public var idleTimeout: Duration?
    /// The longest time for the whole call, including redirects, interceptors and retries. If nil, the configuration's
    /// time applies.
    public var totalTimeout: Duration?
    /// The limit of the decoded body, in bytes; of a stream, the limit of each element. It replaces `maxBodyBytes` of
    /// the entry and of the policy, so it can be lower or higher than these. If nil, they apply. A limit of the format,
    /// such as `maxLineBytes`, applies as well.
    public var maximumBodyBytes: Int?
    /// Decides which redirects are followed. If nil, the handler of the configuration decides.
    public var redirects: RedirectHandler?
    /// Whether the request sends and stores cookies, if the configuration has a cookie jar.
    public var usesCookies = true
    /// The interceptors of this request. The interceptors of the configuration are called before them.
    public var interceptors: [any RequestInterceptor] = []
    /// Called with the progress of the upload while bytes are sent, and a last time before the call returns. If the
    /// length of the body is known, each progress has it. The call waits for the closure. Calls of the closure never
    /// overlap and never run on the transport's thread. If progress arrives faster than the closure handles it, some
    /// progress is skipped.
    public var onUploadProgress: (@Sendable (TransferProgress) -> Void)?
    /// Called with the progress of the response's body, under the same rules as `onUploadProgress`.
    public var onDownloadProgress: (@Sendable (TransferProgress) -> Void)?
    /// Checks of the complete response, run in order, after the status was checked and before any serializer runs. The
    /// first check that throws ends the call with code `validation` and its error as the cause. The checks of a
    /// download get no bytes.
    public var validators: [@Sendable (ResponseHead, ResponseBody) throws -> Void] = []
    /// The notes of the interceptors beside the request; set while the interceptors run.
    var adaptation: Adaptation?
    /// The template that the target was made of, if no other target was set since.
    var targetTemplate: TargetTemplate? { made?.target == target ? made : nil }
    private let made: TargetTemplate?

    /// A request to a target. If `path` is not nil, the target is a template, and `path` has the value of each name in
    /// its braces: `SessionRequest("users/{id}/posts", path: ["id": id])`.
    public init(
        _ target: String, path: [String: any CustomStringConvertible & Sendable]? = nil, method: String = "GET",
        content: RequestContent? = nil, query: QueryItems = [], headers: HeaderFields = [:]
    ) {
        made = path.map { TargetTemplate(target, $0) }
        (self.method, self.target, self.content) = (method, made?.target ?? target, content)
        (self.query, self.headers) = (query, headers)
    }

    /// A request with a value as its content, written as `RequestContent.value(_:in:)` says.
    public init(
        _ target: String, path: [String: any CustomStringConvertible & Sendable]? = nil, method: String = "POST",
        body: any Encodable & Sendable, in contentType: MediaType? = nil, query: QueryItems = [],
        headers: HeaderFields = [:]
    ) {
        self.init(
            target, path: path, method: method, content: .value(body, in: contentType), query: query, headers: headers)
    }

    /// A request to a URL. A URL without a scheme is resolved against the manager's base URL.
    public init(url: URL, method: String = "GET", content: RequestContent? = nil) {
        self.init(url.absoluteString, method: method, content: content)
    }

    /// The kind of the task. A request with streamed content is an upload, which has no default total timeout.
    var kind: SessionTask.Kind { content?.isStreamed == true ? .upload : .data }

    /// The changes that the request makes to the choice of a serializer for its response.
    func lookupOverride(_ registry: SerializerRegistry) throws(SessionError) -> LookupOverride {
        guard using != nil || !excluding.isEmpty || acceptableStatus != nil || maximumBodyBytes != nil else {
            return .none
        }
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
        return LookupOverride(
            using: using, excluding: excluding, acceptableStatus: acceptableStatus, maximumBodyBytes: maximumBodyBytes)
    }
}

extension SessionRequest {
    /// The serializer of a response with an acceptable status, used whatever the media type of the response is.
    public enum Using: Sendable {
        /// The entry with this id; its types and statuses are ignored.
        case entry(String)
        /// The serializer that a factory of the registry makes with these options, written as an entry's options in a
        /// manifest: `.factory("text", options: ["charsetOverride": "latin1"])`. If there is no such factory, or it
        /// refuses the options, the call fails with `invalidRequest` and a `ManifestFailure` before anything is sent.
        /// The sentence of the error quotes the refused option.
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

extension SessionRequest {
    /// The request as a command line of curl, as the caller describes it: without the manager's base URL and header
    /// fields.
    ///
    /// The text shows only the names of the query, and only the lengths of header fields that can be secret. The
    /// description of a `SessionTask` that was sent is complete.
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

    /// The URL of the request, including its query. In an interceptor's `adapt`, a relative target is resolved against
    /// the base URL. Elsewhere the URL of a relative target is nil. The URL of an invalid target is always nil.
    public var url: URL? {
        try? (adaptation?.base ?? RequestBase(nil)).target(of: self).url
    }

    /// The template of the target as the caller wrote it; nil without one.
    package var template: String? { targetTemplate?.text }

    /// The whole path of the template, if an observer or a log can want it.
    func template(for manager: SessionManager) -> String? {
        guard let template, manager.taskList.isObservedOrLogged else { return nil }
        return manager.base.path(ofTemplate: template)
    }

    /// The target with its query, as far as it is known without a base URL.
    var reference: String {
        let added = [query.isEmpty ? nil : query.encoded, hook?.encodedQuery].compactMap(\.self)
        return added.isEmpty ? target : target + (target.contains("?") ? "&" : "?") + added.joined(separator: "&")
    }
}

extension SessionRequest: CustomStringConvertible, CustomReflectable {
    /// Method, target and fields, with possible secrets masked:
    /// `POST users?page=*** [Cookie: <9 bytes>], application/json`.
    public var description: String { description(hiding: []) }

    /// - Parameter named: segments of the path that are not shown.
    func description(hiding named: Set<String>) -> String {
        // An adapted request knows the segments of its manager.
        let named = named.union(adaptation?.base.maskedPathSegments ?? [])
        return "\(method) \(Redaction.masked(reference, named: named))" + (headers.isEmpty ? "" : " \(headers)")
            + (content.map { ", \($0)" } ?? "")
    }

    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "method": method, "target": Redaction.masked(reference), "hook": hook as Any,
                "headers": headers,
                "content": content as Any, "using": using as Any,
                "excluding": excluding.inOrder(), "acceptableStatus": acceptableStatus as Any,
            ], displayStyle: .struct)
    }
}
