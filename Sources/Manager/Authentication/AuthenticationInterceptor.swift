// Credentials that are put on requests and renewed when a server refuses them. CredentialScope decides where they may
// go. Session/SessionConfiguration names the fields that are credentials and that a redirect to another origin drops.

import PatchbayPlatform
public import PatchbayRegistry

/// Puts a credential on every request, renews it when it is refused or expires, and retries the refused call.
///
/// The credential goes only to its hosts (`hosts:`). A request to another URL is sent without it. This is decided after
/// all interceptors have changed the request. If nothing names the hosts, the call fails with code `adaptation` before
/// it is sent.
///
/// If many calls need a new credential at once, it is renewed once, and all of them wait for it. Cancelling the call
/// that asked for a renewal doesn't cancel the renewal. A call is not retried if the answering server did not get the
/// credential, for example after a redirect to another origin, or if the call was refused more than `maximumRetries`
/// times.
public final class AuthenticationInterceptor<Scheme: AuthenticationScheme>: RequestInterceptor, NeverSigningInterceptor
{
    private typealias Renewal = Task<Scheme.Credential, any Error>

    private struct State {
        var credential: Scheme.Credential?
        /// Grows whenever the credential is set.
        var generation = 0
        var renewal: Renewal?
        var renewals: [ContinuousClock.Instant] = []

        /// - Returns: the replaced credential. Releasing it may run foreign code, so the caller does it without a lock.
        mutating func set(_ credential: Scheme.Credential?) -> Scheme.Credential? {
            defer { (self.credential, generation) = (credential, generation + 1) }
            return self.credential
        }
    }

    private let scheme: Scheme
    private let hosts: [HostPattern]?
    private let maximumRefreshes: Int?
    private let window: Duration
    private let maximumRetries: Int
    private let now: @Sendable () -> ContinuousClock.Instant
    private let state: Guarded<State>

    /// - Parameters:
    ///   - scheme: how a credential is put into a request and renewed.
    ///   - credential: the first credential; nil if the program sets it later.
    ///   - hosts: the hosts that get the credential, over https. Over http only if the base URL is http or the host
    ///     is loopback. By default those of the manager: the origin of its base URL, and `credentialHosts`. An empty
    ///     list sends the credential nowhere.
    ///   - maximumRefreshes: how often the credential may be renewed within `window`, for all calls together; one
    ///     renewal more fails its call with code `excessiveRefresh`. Nil: no limit.
    ///   - window: the time over which renewals are counted.
    ///   - maximumRetries: how often one call is sent again because its credential was refused.
    public convenience init(
        _ scheme: Scheme, credential: Scheme.Credential? = nil, hosts: [HostPattern]? = nil,
        maximumRefreshes: Int? = 5, within window: Duration = .seconds(30), maximumRetries: Int = 5
    ) {
        self.init(
            scheme, credential: credential, hosts: hosts, maximumRefreshes: maximumRefreshes, within: window,
            maximumRetries: maximumRetries, now: { .now })
    }

    init(
        _ scheme: Scheme, credential: Scheme.Credential?, hosts: [HostPattern]? = nil, maximumRefreshes: Int? = 5,
        within window: Duration = .seconds(30), maximumRetries: Int = 5,
        now: @escaping @Sendable () -> ContinuousClock.Instant
    ) {
        self.scheme = scheme
        self.hosts = hosts
        self.maximumRefreshes = maximumRefreshes
        self.window = window
        self.maximumRetries = maximumRetries
        self.now = now
        state = Guarded(State(credential: credential))
    }

    /// The credential for later requests. A credential that is set during a renewal stays.
    public var credential: Scheme.Credential? {
        get { state.withLock(\.credential) }
        set { state.letGo { $0.set(newValue) } }
    }

    /// - Throws: the error with which the call fails: with code `missingCredential` if there is no credential, with
    ///   `excessiveRefresh` if it was renewed too often, and otherwise with `adaptation`, for the error of `refresh` or
    ///   if nothing names the hosts. For a request that no manager sends, only `hosts:` names them.
    public func adapt(_ request: SessionRequest) async throws -> SessionRequest {
        let put = request.putCredentials ?? PutCredentials(RequestBase(nil), CredentialScope(base: nil, hosts: []))
        let scope = try put.scope(limitedTo: hosts)
        guard put.mayBePut(on: request, by: self, scope) else { return request }
        let held = try held()
        var credential = held.credential
        if let renewal = held.renewal {
            credential = try await renewal.value
        } else if scheme.needsRefresh(credential) {
            credential = try await renewed(credential, held.generation)
        }
        var authenticated = request
        scheme.apply(credential, to: &authenticated)
        put.note(self, scope, before: request, after: authenticated)
        return authenticated
    }

    public func retry(_ request: SessionRequest, after error: SessionError) async -> RetryDecision {
        guard scheme.isAuthenticationFailure(error), !error.droppedCredentials,
            request.putCredentials?.wereSent(by: self, to: error.request?.url) ?? true
        else { return .doNotRetry }
        do {
            let held = try held()
            let hasCredential = scheme.isRequest(request, authenticatedWith: held.credential)
            guard error.facts.ownRetries < maximumRetries else {
                throw hasCredential ? AuthenticationFailure.excessiveRefresh : .replacedCredential
            }
            // The credential was renewed while the call was running. The new one has not been refused yet.
            guard hasCredential else { return .retry }
            _ = try await renewed(held.credential, held.generation)
            return .retry
        } catch {
            return .doNotRetryWithError(error)
        }
    }

    private func held() throws -> (credential: Scheme.Credential, generation: Int, renewal: Renewal?) {
        try state.withLock { state in
            guard let credential = state.credential else { throw AuthenticationFailure.missingCredential }
            return (credential, state.generation, state.renewal)
        }
    }

    /// The credential after that generation: already set, being renewed, or renewed now.
    private func renewed(_ credential: Scheme.Credential, _ generation: Int) async throws -> Scheme.Credential {
        let now = now()
        let renewal = try state.withLock { state throws(AuthenticationFailure) -> Renewal in
            if let renewal = state.renewal { return renewal }
            guard let current = state.credential else { throw .missingCredential }
            guard state.generation == generation else { return Renewal { current } }
            try note(now, in: &state)
            let renewal = Renewal { try await self.renew(credential, generation) }
            state.renewal = renewal
            return renewal
        }
        return try await renewal.value
    }

    private func note(_ now: ContinuousClock.Instant, in state: inout State) throws(AuthenticationFailure) {
        guard let maximumRefreshes else { return }
        state.renewals.removeAll { $0.duration(to: now) > window }
        guard state.renewals.count < maximumRefreshes else { throw .excessiveRefresh }
        state.renewals.append(now)
    }

    private func renew(_ credential: Scheme.Credential, _ generation: Int) async throws -> Scheme.Credential {
        let outcome: Result<Scheme.Credential, any Error>
        do {
            outcome = .success(try await scheme.refresh(credential))
        } catch {
            outcome = .failure(error)
        }
        let (renewed, dropped) = state.withLock { state -> (Result<Scheme.Credential, any Error>, Scheme.Credential?) in
            state.renewal = nil
            // The credential was set during the renewal, perhaps to nil. The credential that was set counts.
            guard state.generation == generation else {
                guard let current = state.credential else {
                    return (.failure(AuthenticationFailure.missingCredential), nil)
                }
                return (.success(current), nil)
            }
            guard case .success(let fresh) = outcome else { return (outcome, nil) }
            return (outcome, state.set(fresh))
        }
        withExtendedLifetime(dropped) {}
        return try renewed.get()
    }
}

extension AuthenticationInterceptor: CustomStringConvertible, CustomReflectable {
    /// Names the scheme and says whether there is a credential, but doesn't show it.
    public var description: String {
        "authentication by \(Scheme.self), " + (credential == nil ? "without a credential" : "with a credential")
    }
    public var customMirror: Mirror { Mirror(described: self) }
}

/// The reason that an `AuthenticationInterceptor` could not authenticate a request. Callers see the code.
package enum AuthenticationFailure: Error, Sendable, Hashable {
    /// The interceptor has no credential.
    case missingCredential
    /// The credential was renewed too often within the window, or for one call.
    case excessiveRefresh
    /// The call was refused too often, and its request had another credential: another interceptor replaces it.
    case replacedCredential

    var code: SessionError.Code {
        switch self {
        case .missingCredential: .missingCredential
        case .excessiveRefresh: .excessiveRefresh
        case .replacedCredential: .retryRefused
        }
    }
}

extension AuthenticationFailure: SafeToPrint {
    package var description: String {
        switch self {
        case .missingCredential: "there is no credential"
        case .excessiveRefresh: "the credential was renewed too often"
        case .replacedCredential: "another interceptor replaced its credential each time"
        }
    }
}
