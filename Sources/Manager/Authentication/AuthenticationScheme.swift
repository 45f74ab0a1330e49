public import PatchbayPlatform
import PatchbayRegistry

/// Knows one kind of credential: how it is put on a request, when it has to be renewed, and how.
public protocol AuthenticationScheme: Sendable {
    /// What it puts on requests: a token, with what is needed to renew it.
    associatedtype Credential: Sendable

    /// Puts the credential on a request.
    func apply(_ credential: Credential, to request: inout SessionRequest)

    /// Makes a new credential of an old one. Its calls must not go through the interceptor that asks, unless to a host that the
    /// credential is not for: they would wait for themselves.
    func refresh(_ credential: Credential) async throws -> Credential

    /// Whether the credential is to be renewed before it is used.
    func needsRefresh(_ credential: Credential) -> Bool

    /// Whether the call failed because its credential was not accepted; by default, with status 401.
    func isAuthenticationFailure(_ error: SessionError) -> Bool

    /// Whether the request has this credential on it, not an older one.
    func isRequest(_ request: SessionRequest, authenticatedWith credential: Credential) -> Bool
}

extension AuthenticationScheme {
    public func needsRefresh(_ credential: Credential) -> Bool { false }

    public func isAuthenticationFailure(_ error: SessionError) -> Bool { error.head?.status == 401 }
}

/// Sends bearer tokens (RFC 6750, section 2.1) and renews them with a closure.
public struct BearerScheme: AuthenticationScheme {
    /// A token, and what is needed to get the next one.
    public struct Credential: Sendable, Hashable {
        /// What stands behind `Bearer` in `Authorization`.
        public var token: String
        /// What a new token is asked for with (RFC 6749, section 6); nil where that takes none.
        public var refreshToken: String?
        /// When the token runs out; nil where that is not known.
        public var expires: Date?

        /// A token, as the authorization server gave it.
        public init(token: String, refreshToken: String? = nil, expires: Date? = nil) {
            self.token = token
            self.refreshToken = refreshToken
            self.expires = expires
        }
    }

    private let margin: Duration
    private let renew: @Sendable (Credential) async throws -> Credential

    /// - Parameters:
    ///   - margin: a token that expires sooner than this is renewed before it is used.
    ///   - refresh: asks for a new credential with the old one. Its error fails the calls that wait for it.
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
    /// Says that there is a token, not which.
    public var description: String { "a bearer token" }
    public var customMirror: Mirror { Mirror(described: self) }
}
