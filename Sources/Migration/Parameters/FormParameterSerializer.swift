public import PatchbayManager
import PatchbayPlatform
import PatchbayRegistry

/// Writes parameters as `name=value` pairs: into the query of GET, HEAD and DELETE requests, and as the body of all
/// other requests.
public struct FormParameterSerializer: ParameterSerializer {
    /// The place of the pairs in the request.
    public enum Destination: Sendable {
        /// Into the query if `queryMethods` has the method, else into the body.
        case byMethod
        case query, body
    }

    /// The rules for writing the pairs.
    public var rules = FormRules()
    /// The place of the pairs in the request.
    public var destination = Destination.byMethod
    /// The methods whose parameters go into the query; the method of a request is compared in upper case.
    public var queryMethods: Set<String> = ["GET", "HEAD", "DELETE"]
    /// The `Content-Type` of a form that is sent as a body.
    public var contentType = "application/x-www-form-urlencoded"
    /// Whether a request without parameters and without content gets an empty form as its body, if its method takes
    /// parameters in the body. If false, such a request is unchanged.
    public var sendsEmptyForm = true
    /// Returns the pairs, percent-encoded, without `?`; used instead of `rules`. An error fails the request.
    public var makePairs: (@Sendable (Parameters, SessionRequest) throws -> String)?

    /// A serializer of forms by these rules; the default rules are the rules of AFNetworking.
    public init(rules: FormRules = FormRules()) {
        self.rules = rules
    }

    /// Puts the pairs into the query or the body, as `destination` says.
    public func serialize(_ parameters: Parameters?, into request: inout SessionRequest) throws {
        if isForQuery(request.method) {
            guard let parameters else { return }
            let pairs = try pairs(parameters, request)
            guard !pairs.isEmpty else { return }
            request.encodedQuery = request.encodedQuery.map { $0.isEmpty ? pairs : $0 + "&" + pairs } ?? pairs
        } else if let parameters {
            let pairs = try pairs(parameters, request)
            try request.fill(with: RequestContent(contentType) { .data(Data(pairs.utf8)) })
        } else if sendsEmptyForm, request.content == nil {
            request.content = RequestContent(contentType) { .data(Data()) }
        }
    }

    /// Whether the parameters of a request with this method go into its query.
    public func isForQuery(_ method: String) -> Bool {
        switch destination {
        case .byMethod: queryMethods.contains(method.uppercased())
        case .query: true
        case .body: false
        }
    }

    private func pairs(_ parameters: Parameters, _ request: SessionRequest) throws -> String {
        if let makePairs { return try makePairs(parameters, request) }
        return try rules.writer.text(of: parameters.tree())
    }
}

extension ParameterSerializer where Self == FormParameterSerializer {
    /// A form by the rules of AFNetworking.
    public static var form: FormParameterSerializer { FormParameterSerializer() }
}
