public import PatchbayManager
public import PatchbayRegistry

extension SessionRequest {
    /// A request with parameters. The request's serializer writes them: into the query for GET, HEAD and DELETE, else
    /// into the body.
    public init(
        _ method: String, _ target: String, content: RequestContent? = nil, parameters: Parameters?,
        query: QueryItems = [], headers: HeaderFields = [:]
    ) {
        self.init(target, method: method, content: content, query: query, headers: headers)
        self.parameters = parameters
    }

    /// A GET with parameters.
    public init(_ target: String, parameters: Parameters?, query: QueryItems = [], headers: HeaderFields = [:]) {
        self.init("GET", target, parameters: parameters, query: query, headers: headers)
    }

    /// A request with named values, of which some can be variables. A value that cannot be encoded fails the request
    /// when it is sent.
    @_disfavoredOverload
    public init(
        _ method: String, _ target: String, parameters: ParameterPairs, query: QueryItems = [],
        headers: HeaderFields = [:]
    ) {
        self.init(target, method: method, query: query, headers: headers)
        setParameters { try Parameters(encoding: parameters) }
    }

    /// A GET with named values, of which some can be variables. A value that cannot be encoded fails the request when
    /// it is sent.
    @_disfavoredOverload
    public init(
        _ target: String, parameters: ParameterPairs, query: QueryItems = [], headers: HeaderFields = [:]
    ) {
        self.init("GET", target, parameters: parameters, query: query, headers: headers)
    }

    init(
        _ method: String, _ target: String, encoding value: (some Encodable)?, query: QueryItems, headers: HeaderFields
    ) {
        self.init(target, method: method, query: query, headers: headers)
        setParameters { try value.map { try Parameters(encodingMarked: $0) } }
    }

    /// A request whose content is the form. The parameters become parts before the parts of the form.
    init(
        _ method: String, _ target: String, multipart form: MultipartFormData, _ parameters: Parameters?,
        _ headers: HeaderFields
    ) {
        self.init(target, method: method, headers: headers)
        do {
            content = .multipart(try parameters.map { try form.preceded(by: $0) } ?? form)
        } catch {
            change { $0.failure = .unsent("its parameters could not be made parts of a form", error) }
        }
    }

    private mutating func setParameters(_ encode: () throws -> Parameters?) {
        do {
            parameters = try encode()
        } catch {
            change { $0.failure = .unsent("its parameters could not be encoded", error) }
        }
    }
}
