public import PatchbayManager
public import PatchbayParameters
import PatchbayPlatform
import PatchbayRegistry

/// What is added to a request: parameters, what writes them, and a last change.
struct ParameterAddition: RequestAddition {
    var parameters: Parameters?
    /// Why the parameters that the request was made with could not be encoded; it fails the request when it is sent.
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
    /// What the request's serializer writes: into the query of GET, HEAD and DELETE, behind what is there, else as the body,
    /// unless the serializer is set to do otherwise.
    public var parameters: Parameters? {
        get { added.parameters }
        set { change { ($0.parameters, $0.failure) = (newValue, nil) } }
    }
    /// Writes the parameters; nil: the configuration's.
    public var serializer: (any ParameterSerializer)? {
        get { added.serializer }
        set { change { $0.serializer = newValue } }
    }
    /// Changes the request after the interceptors and before its parameters are serialized; what it throws fails the request.
    /// A timeout that it sets holds from then on, counted from the start of the call. What a call needs before is the sender's
    /// alone, and a change of it has no effect: `isPausable`, the interceptors, the modifier and the progress closures.
    public var modifier: (@Sendable (inout SessionRequest) throws -> Void)? {
        get { added.modifier }
        set { change { $0.modifier = newValue } }
    }
    /// A query that is percent-encoded already, added after `query`; for a `ParameterSerializer`.
    public var encodedQuery: String? {
        get { escapedQuery }
        set { escapedQuery = newValue }
    }
    /// Whether suspending the call's task holds its bodies too, in the middle of a transfer. Such a request goes over HTTP/1.1:
    /// libcurl would hold 32 MiB of HTTP/2. URLSession cannot be paused: its bytes go on arriving, uncompressed, and a call that is
    /// more than 16 MiB behind fails.
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
    /// Writes the parameters of a request that names no serializer. One that is set is asked about every request, so that a POST without
    /// content becomes an empty form, as AFNetworking sends it; else about those alone that have parameters, a serializer or a modifier.
    public var requestSerializer: any ParameterSerializer {
        get { (requestAddition as? ParameterAddition)?.serializer ?? .form }
        set { requestAddition = ParameterAddition(serializer: newValue) }
    }
}

extension MultipartFormData {
    /// A part for each pair that the rules make of the parameters, names and values as they are; bytes as bytes.
    /// - Throws: what the rules throw.
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
