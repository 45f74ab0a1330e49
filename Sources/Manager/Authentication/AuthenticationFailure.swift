/// Why an `AuthenticationInterceptor` could not authenticate a request.
public enum AuthenticationFailure: Error, Sendable, Hashable {
    /// The interceptor has no credential.
    case missingCredential
    /// The credential was renewed too often in too short a time.
    case excessiveRefresh
}

extension AuthenticationFailure: CustomStringConvertible {
    public var description: String {
        switch self {
        case .missingCredential: "there is no credential"
        case .excessiveRefresh: "the credential was renewed too often"
        }
    }
}
