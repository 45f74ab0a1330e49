public import PatchbayRegistry

/// Parameters by name, in their order: variables, optionals and literals side by side.
///
/// Each value encodes itself; nil is null. Of values with one name the last counts, in the place of the first.
public typealias ParameterPairs = KeyValuePairs<String, (any Encodable)?>

extension SessionRequest {
    /// A request with values by name, some of them variables. What cannot be encoded fails the request when it is sent.
    @_disfavoredOverload
    public init(
        _ method: String, _ target: some URLReference, parameters: ParameterPairs, query: QueryItems = [],
        headers: HeaderFields = [:], using: LookupOverride.Using? = nil
    ) {
        self.init(method, target, query: query, headers: headers, using: using)
        setParameters { try Parameters(encoding: parameters) }
    }

    /// A GET with values by name, some of them variables. What cannot be encoded fails the request when it is sent.
    @_disfavoredOverload
    public init(
        _ target: some URLReference, parameters: ParameterPairs, query: QueryItems = [], headers: HeaderFields = [:],
        using: LookupOverride.Using? = nil
    ) {
        self.init("GET", target, parameters: parameters, query: query, headers: headers, using: using)
    }

    /// A request with what the value encodes.
    init(
        _ method: String, _ target: some URLReference, encoding value: (some Encodable)?, query: QueryItems,
        headers: HeaderFields
    ) {
        self.init(method, target, query: query, headers: headers)
        setParameters { try value.map { try Parameters(encoding: $0, nilMembers: .marked) } }
    }

    private mutating func setParameters(_ encode: () throws -> Parameters?) {
        do {
            parameters = try encode()
        } catch {
            parametersFailure = SessionError(
                .invalidRequest, "the request was not sent: its parameters could not be encoded", cause: error)
        }
    }
}
