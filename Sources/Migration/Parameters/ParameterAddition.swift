public import PatchbayManager
public import PatchbayParameters
import PatchbayPlatform
import PatchbayRegistry

/// The additions to a request: its parameters, their serializer, and a last change.
struct ParameterAddition: RequestAddition {
    var parameters: Parameters?
    /// The error of encoding the parameters that the request was made with; it fails the request when it is sent.
    var failure: SessionError?
    var serializer: (any ParameterSerializer)?
    var modifier: (@Sendable (inout SessionRequest) throws -> Void)?

    func prepare(_ request: inout SessionRequest, _ standard: (any RequestAddition)?) throws(SessionError) {
        do {
            try modifier?(&request)
        } catch {
            throw SessionError(.invalidRequest, reason: "the request was not sent: its modifier failed", cause: error)
        }
        let addition = request.added
        if let failure = addition.failure { throw failure }
        let serializer = addition.serializer ?? (standard as? ParameterAddition)?.serializer ?? .form
        do {
            try serializer.serialize(addition.parameters, into: &request)
        } catch let failure as ParametersFailure {
            throw SessionError(
                .invalidRequest, reason: "the request was not sent: \(failure.reason)", cause: failure)
        } catch {
            throw SessionError(
                .invalidRequest, reason: "the request was not sent: its parameters could not be serialized",
                cause: error)
        }
    }
}

extension ParameterAddition: CustomStringConvertible, CustomReflectable {
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
        get { escapedQuery }
        set { escapedQuery = newValue }
    }
    /// Whether suspending the call's task also pauses its bodies in the middle of a transfer. Such a request goes over
    /// HTTP/1.1: with HTTP/2, libcurl would buffer 32 MiB. URLSession cannot be paused: its bytes keep arriving,
    /// uncompressed, and a call fails when more than 16 MiB of them wait.
    public var isPausable: Bool {
        get { holdsBodies }
        set { holdsBodies = newValue }
    }

    var added: ParameterAddition { addition as? ParameterAddition ?? ParameterAddition() }

    mutating func change(_ change: (inout ParameterAddition) -> Void) {
        var changed = added
        change(&changed)
        addition = changed
    }
}

extension SessionConfiguration {
    /// The serializer for requests without a serializer of their own. After this property is set, every request passes
    /// through a serializer, so that a POST without content becomes an empty form, as AFNetworking sends it. If this
    /// property is not set, only requests with parameters, a serializer or a modifier pass through a serializer.
    public var requestSerializer: any ParameterSerializer {
        get { (requestAddition as? ParameterAddition)?.serializer ?? .form }
        set { requestAddition = ParameterAddition(serializer: newValue) }
    }
}

extension MultipartFormData {
    /// Appends a part for each pair that the rules make of the parameters. Names and values are not escaped; bytes stay
    /// bytes.
    /// - Throws: the error of a rule.
    public mutating func append(_ parameters: Parameters, rules: FormRules = FormRules()) throws {
        for pair in try FormWriter(rules).pairs(of: parameters) { append(pair.data, name: pair.name) }
    }

    func preceded(by parameters: Parameters) throws -> MultipartFormData {
        var form = emptied
        try form.append(parameters)
        form.append(partsOf: self)
        return form
    }
}
