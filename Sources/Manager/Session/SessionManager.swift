// The public types around the manager: its configuration, verbs, tasks, progress, observers and cookies. The folder
// Call has the steps of a call.

public import PatchbayPlatform
public import PatchbayRegistry

/// Sends requests and turns each response into a value with the serializer that the registry chooses for it. The
/// registry also chooses the serializer that writes the body of a request.
///
/// | function | gives |
/// |---|---|
/// | `get`, `post`, `put`, `patch`, `delete`, `upload` | the value, of the type after `as:` |
/// | `head` | the `ResponseHead` |
/// | `send` | a `Reply`, whose value is of the type after `as:`, or of the type that the registry chooses |
/// | `stream` | a `ResponseStream` of elements of the type after `of:`, or of the type that the registry chooses |
/// | `download` | a `Reply` with the `URL` of the file |
///
/// Safe to use from any number of tasks at once. A call takes a snapshot of `registry` when it is made. A new registry
/// affects later calls only.
public final class SessionManager: Sendable {
    /// The URL that relative targets are resolved against. If nil, targets must be absolute URLs.
    public let baseURL: URL?
    /// Carries the exchanges.
    public let transport: any Transport
    /// The settings of every call, fixed when the manager was made.
    public let configuration: SessionConfiguration
    let base: RequestBase
    /// The hosts that are allowed to get credentials: the credentials among the fields, and the credentials of
    /// interceptors.
    let credentialScope: CredentialScope
    let connections: ConnectionTable
    let current: Guarded<CurrentSettings>
    let io = IOExecutor()
    /// Runs closures of the caller that can block. Separate from `io`, so that a slow closure doesn't delay the work on
    /// files.
    let questions = IOExecutor()
    let taskList: TaskList

    /// - Parameters:
    ///   - baseURL: the URL that relative targets are resolved against. Its path counts as a folder, with or without
    ///     `/` at its end.
    ///   - registry: the table that chooses the serializers.
    ///   - transport: carries out the exchanges.
    ///   - configuration: the settings of the manager.
    public init(
        baseURL: URL? = nil, registry: SerializerRegistry, transport: any Transport,
        configuration: SessionConfiguration = SessionConfiguration()
    ) {
        self.baseURL = baseURL
        base = RequestBase(baseURL, maskedPathSegments: configuration.maskedPathSegments)
        credentialScope = CredentialScope(base: baseURL, hosts: configuration.credentialHosts)
        connections = ConnectionTable(configuration)
        self.transport = transport
        self.configuration = configuration
        current = Guarded(CurrentSettings(registry: registry, headers: configuration.headers))
        taskList = TaskList(
            configuration.observers, limit: configuration.maximumWaitingEvents,
            maskedPathSegments: configuration.maskedPathSegments)
    }

    /// The fields of later calls; initially the fields of the configuration. A request's own field of the same name
    /// replaces them.
    public var headers: HeaderFields { current.withLock(\.headers) }

    /// Sets a field for later calls. A nil value removes the field. Many tasks can set fields at once: no update is
    /// lost.
    ///
    ///     manager.setHeader("Bearer \(token)", for: "Authorization")
    ///     manager.setHeader(try HeaderFields.basic(user: name, password: pass), for: "Authorization")
    ///
    /// A field that `configuration.credentialFields` names goes only to the origin of the base URL and to
    /// `configuration.credentialHosts`. If there is neither a base URL nor such a host, the field goes to every URL of
    /// a call. A redirect to another origin drops the field.
    public func setHeader(_ value: String?, for name: String) {
        current.withLock { $0.headers[name] = value }
    }

    /// A URL as errors and descriptions show it, for a log of your own: `***` stands for user information, the values of
    /// the query, the fragment, and path segments that look like tokens or that `configuration.maskedPathSegments` names.
    public func maskedText(of url: URL) -> String {
        Redaction.masked(url.absoluteString, named: configuration.maskedPathSegments)
    }

    /// Makes a call and starts it. Not async and never inlined: an async function keeps its live values in a frame on
    /// the heap until the call has ended, so every waiting call would keep its request twice.
    @inline(never)
    func start(
        _ method: String, _ target: String, _ path: [String: any CustomStringConvertible & Sendable]?,
        _ content: RequestContent?, _ query: QueryItems, _ headers: HeaderFields,
        producing wanted: WantedValue = .anything
    ) -> Call {
        start(
            .data, SessionRequest(target, path: path, method: method, content: content, query: query, headers: headers),
            producing: wanted)
    }

    @inline(never)
    func start(
        _ kind: SessionTask.Kind, _ request: SessionRequest, producing wanted: WantedValue = .anything,
        into file: FileBody? = nil
    ) -> Call {
        let call = makeCall(kind, request, producing: wanted, into: file)
        call.task.begin()
        return call
    }

    func makeCall(
        _ kind: SessionTask.Kind, _ request: SessionRequest, producing wanted: WantedValue, into file: FileBody? = nil,
        read stream: StreamBody? = nil
    ) -> Call {
        Call(
            self, taskList.make(kind, request, label: configuration.taskLabel), registry, producing: wanted,
            into: file, read: stream)
    }
}

extension SessionManager: CustomStringConvertible, CustomReflectable {
    /// The base URL and the number of tasks: `http://example.com/, 2 tasks`.
    public var description: String { "\(baseURL.map(maskedText) ?? "no base URL"), \(tasks.count) tasks" }
    public var customMirror: Mirror {
        Mirror(
            self, children: ["headers": headers, "configuration": configuration, "registry": registry, "tasks": tasks],
            displayStyle: .class)
    }
}
