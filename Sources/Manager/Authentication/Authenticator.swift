import PatchbayRegistry

/// Knows one kind of credential: how it is put on a request, when it has to be renewed, and how.
public protocol Authenticator: Sendable {
    /// What it puts on requests: a token, with what is needed to renew it.
    associatedtype Credential: Sendable

    /// Puts the credential on a request.
    func apply(_ credential: Credential, to request: inout SessionRequest)

    /// Makes a new credential of an old one. Its calls must not go through the interceptor that asks: they would wait for
    /// themselves.
    func refresh(_ credential: Credential) async throws -> Credential

    /// Whether the credential is to be renewed before it is used.
    func needsRefresh(_ credential: Credential) -> Bool

    /// Whether the call failed because its credential was not accepted; by default, with status 401.
    func isAuthenticationFailure(_ error: SessionError) -> Bool

    /// Whether the request has this credential on it, not an older one.
    func isRequest(_ request: SessionRequest, authenticatedWith credential: Credential) -> Bool
}

extension Authenticator {
    public func needsRefresh(_ credential: Credential) -> Bool { false }

    public func isAuthenticationFailure(_ error: SessionError) -> Bool { error.head?.status == 401 }
}
