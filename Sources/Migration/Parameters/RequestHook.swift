public import PatchbayManager
import PatchbayPlatform
import PatchbayRegistry

/// What this module adds to a request, or to all requests of a configuration.
struct RequestHook: CallHook {
    var parameters: Parameters?
    /// The error of encoding the parameters that the request was made with; it fails the request when it is sent.
    var failure: SessionError?
    var serializer: (any ParameterSerializer)?
    var modifier: (@Sendable (inout SessionRequest) throws -> Void)?
    /// Whether parameters, a serializer or a modifier were set, even to nil: such a request passes through a serializer.
    var isSerialized = false
    var encodedQuery: String?
    /// Codes the body that the serializer or an entry has written.
    var coding: (@Sendable (Data) throws(SessionError) -> (name: String, data: Data)?)?
    var pausesBodies = false
    var validators: [ResponseValidator] = []
    /// Called instead of telling the observers of the end of the call, if there is a `DataTask` of the call.
    var whenEnded: (@Sendable (SessionTask, _ tell: @escaping @Sendable () -> Void) -> Void)?

    var checks: [ResponseCheck] { validators.map(\.check) }

    func prepare(_ request: inout SessionRequest, _ standard: (any CallHook)?) throws(SessionError) {
        do {
            try modifier?(&request)
        } catch {
            throw .unsent("its modifier failed", error)
        }
        let (hook, standard) = (request.added, standard as? RequestHook)
        guard hook.isSerialized || standard != nil else { return }
        if let failure = hook.failure { throw failure }
        let serializer = hook.serializer ?? standard?.serializer ?? .form
        do {
            try serializer.serialize(hook.parameters, into: &request)
        } catch let failure as ParametersFailure {
            throw .unsent(failure.reason, failure)
        } catch {
            throw .unsent("its parameters could not be serialized", error)
        }
    }

    func coded(_ body: Data) throws(SessionError) -> (name: String, data: Data)? { try coding?(body) }

    func callEnded(_ task: SessionTask, _ tell: @escaping @Sendable () -> Void) {
        if let whenEnded { whenEnded(task, tell) } else { tell() }
    }
}

extension SessionError {
    /// The error of a request that could not be made.
    static func unsent(_ reason: String, _ cause: (any Error)? = nil) -> SessionError {
        SessionError(.invalidRequest, reason: "the request was not sent: \(reason)", cause: cause)
    }
}

extension RequestHook: CustomStringConvertible, CustomReflectable {
    var description: String { parameters.map { "parameters \($0)" } ?? "no parameters" }
    var customMirror: Mirror { Mirror(described: self) }
}

extension SessionRequest {
    /// The parameters, which the request's serializer writes. A serializer with the default settings puts them into the
    /// query for GET, HEAD and DELETE, after the existing query, else into the body.
    public var parameters: Parameters? {
        get { added.parameters }
        set { change { ($0.parameters, $0.failure) = (newValue, nil) } }
    }
    /// The serializer of the parameters; nil for the serializer of the configuration.
    public var serializer: (any ParameterSerializer)? {
        get { added.serializer }
        set { change { $0.serializer = newValue } }
    }
    /// Changes the request after the interceptors and before its parameters are serialized. An error fails the request.
    /// A timeout that the modifier sets is in force from then on, counted from the start of the call. A change of
    /// `isPausable`, the interceptors, the modifier or the progress closures has no effect: a call needs them earlier.
    public var modifier: (@Sendable (inout SessionRequest) throws -> Void)? {
        get { added.modifier }
        set { change { $0.modifier = newValue } }
    }
    /// A query that is percent-encoded already, added after `query`; for a `ParameterSerializer`.
    public var encodedQuery: String? {
        get { added.encodedQuery }
        set { added.encodedQuery = newValue }
    }
    /// Whether suspending the call's task also pauses its bodies in the middle of a transfer. Such a request goes over
    /// HTTP/1.1: with HTTP/2, libcurl would buffer 32 MiB. URLSession cannot be paused: its bytes keep arriving,
    /// uncompressed, and a call fails when more than 16 MiB of them wait.
    public var isPausable: Bool {
        get { added.pausesBodies }
        set { added.pausesBodies = newValue }
    }
    /// The `ResponseValidator`s of the request, which can also read the file of a download.
    public var responseValidators: [ResponseValidator] {
        get { added.validators }
        set { added.validators = newValue }
    }

    var added: RequestHook {
        get { hook as? RequestHook ?? RequestHook() }
        set { hook = newValue }
    }

    mutating func change(_ change: (inout RequestHook) -> Void) {
        change(&added)
        added.isSerialized = true
    }
}

extension SessionConfiguration {
    /// The serializer for requests without a serializer of their own. After this property is set, every request passes
    /// through a serializer, so that a POST without content becomes an empty form, as AFNetworking sends it. If this
    /// property is not set, only requests with parameters, a serializer or a modifier pass through a serializer.
    public var requestSerializer: any ParameterSerializer {
        get { (hook as? RequestHook)?.serializer ?? .form }
        set { hook = RequestHook(serializer: newValue) }
    }
}

extension MultipartFormData {
    /// Appends a part for each pair that the rules make of the parameters. Names and values are not escaped; bytes stay
    /// bytes.
    /// - Throws: the error of a rule.
    public mutating func append(_ parameters: Parameters, rules: FormRules = FormRules()) throws {
        for pair in try rules.writer.pairs(of: parameters.tree()) { append(pair.data, name: pair.name) }
    }

    func preceded(by parameters: Parameters) throws -> MultipartFormData {
        var form = MultipartFormData(boundary: boundary)
        form.pace = pace
        try form.append(parameters)
        form.append(partsOf: self)
        return form
    }
}
