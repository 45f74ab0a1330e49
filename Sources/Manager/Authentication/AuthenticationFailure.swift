/// Why an `AuthenticationInterceptor` could not authenticate a request.
public enum AuthenticationFailure: Error, Sendable, Hashable {
    /// The interceptor has no credential.
    case missingCredential
    /// The credential was renewed too often in too short a time, or for one call.
    case excessiveRefresh
    /// One call was refused too often, and did not have the credential: another interceptor replaces it.
    case replacedCredential
}

extension AuthenticationFailure: CustomStringConvertible {
    public var description: String {
        switch self {
        case .missingCredential: "there is no credential"
        case .excessiveRefresh: "the credential was renewed too often"
        case .replacedCredential: "another interceptor replaced its credential each time"
        }
    }
}
