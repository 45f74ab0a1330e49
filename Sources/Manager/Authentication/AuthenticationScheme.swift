public import PatchbayPlatform
import PatchbayRegistry

/// One kind of credential: how it is put on a request, and when and how it is renewed.
public protocol AuthenticationScheme: Sendable {
    /// The data that is added to requests, such as a token, with the data for its renewal.
    associatedtype Credential: Sendable

    /// Puts the credential on a request.
    func apply(_ credential: Credential, to request: inout SessionRequest)

    /// Makes a new credential from an old credential. A call that this function makes, or a task that it starts, must not
    /// use the interceptor that called this function: the call would wait for its own renewal, and fails at once with code
    /// `adaptation`. Use another manager, or a detached task that this function doesn't wait for. A call through that
    /// interceptor is allowed to a host that doesn't get the credential.
    func refresh(_ credential: Credential) async throws -> Credential

    /// Whether the credential must be renewed before it is used.
    func needsRefresh(_ credential: Credential) -> Bool

    /// Whether the call failed because the server refused the credential; by default, if the status is 401.
    func isAuthenticationFailure(_ error: SessionError) -> Bool

    /// Whether the request carries this credential and not an older credential.
    func isRequest(_ request: SessionRequest, authenticatedWith credential: Credential) -> Bool
}

extension AuthenticationScheme {
    public func needsRefresh(_ credential: Credential) -> Bool { false }

    public func isAuthenticationFailure(_ error: SessionError) -> Bool { error.head?.status == 401 }
}

/// Sends bearer tokens (RFC 6750, section 2.1) and renews them with a closure.
public struct BearerScheme: AuthenticationScheme {
    /// A token, and the data to get the next token.
    public struct Credential: Sendable, Hashable {
        /// The token after `Bearer` in `Authorization`.
        public var token: String
        /// The refresh token (RFC 6749, section 6); nil if a renewal needs no refresh token.
        public var refreshToken: String?
        /// The expiry date of the token; nil if it is unknown.
        public var expires: Date?

        /// Creates a credential from a token of the authorization server.
        public init(token: String, refreshToken: String? = nil, expires: Date? = nil) {
            self.token = token
            self.refreshToken = refreshToken
            self.expires = expires
        }
    }

    private let margin: Duration
    private let renew: @Sendable (Credential) async throws -> Credential

    /// - Parameters:
    ///   - margin: a token that expires within this time is renewed before it is used.
    ///   - refresh: makes a new credential from the old credential. If it throws, the calls that wait for the
    ///     credential fail.
    public init(
        margin: Duration = .seconds(10), refresh: @escaping @Sendable (Credential) async throws -> Credential
    ) {
        (self.margin, renew) = (margin, refresh)
    }

    public func apply(_ credential: Credential, to request: inout SessionRequest) {
        request.headers["Authorization"] = Self.value(credential)
    }

    public func refresh(_ credential: Credential) async throws -> Credential { try await renew(credential) }

    public func needsRefresh(_ credential: Credential) -> Bool {
        credential.expires.map { $0.timeIntervalSinceNow <= margin / .seconds(1) } ?? false
    }

    public func isRequest(_ request: SessionRequest, authenticatedWith credential: Credential) -> Bool {
        request.headers["Authorization"] == Self.value(credential)
    }

    private static func value(_ credential: Credential) -> String { "Bearer " + credential.token }
}

extension BearerScheme.Credential: CustomStringConvertible, CustomReflectable {
    /// Says that there is a token, but doesn't show it.
    public var description: String { "a bearer token" }
    public var customMirror: Mirror { Mirror(described: self) }
}
