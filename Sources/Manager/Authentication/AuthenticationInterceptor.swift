// Credentials that are put on requests and renewed when a server refuses them. CredentialScope decides which hosts are
// allowed to get them. Session/SessionConfiguration names the fields that are credentials and that a redirect to
// another origin drops.

import PatchbayPlatform
public import PatchbayRegistry

/// Puts a credential on every request. Renews the credential when a server refuses it or when it expires, and retries
/// the refused call.
///
/// The interceptor sends the credential only to the hosts in `hosts:`. A request to another host is sent without the
/// credential. The host is taken from the URL that the request has after all interceptors have changed it. If neither
/// `hosts:` nor the manager names a host, the call fails with code `adaptation` before it is sent.
///
/// If many calls need a new credential at the same time, the interceptor renews it one time, and all of these calls
/// wait for the renewal. Cancelling the call that started a renewal doesn't cancel the renewal. A call is not retried
/// if the server that answered did not get the credential, for example after a redirect to another origin. A call is
/// retried at most `maximumRetries` times.
public final class AuthenticationInterceptor<Scheme: AuthenticationScheme>: RequestInterceptor, NeverSigningInterceptor
{
    private struct Renewal: Sendable {
        let task: Task<Scheme.Credential, any Error>
        var mark = RenewalMark()

        /// Waits for the credential.
        /// - Throws: `ownRenewal` if the call comes from the `refresh` of this renewal, which would wait for itself.
        func value() async throws -> Scheme.Credential {
            guard !RenewalMark.around.contains(where: { $0 === mark }) else { throw AuthenticationFailure.ownRenewal }
            return try await task.value
        }
    }

    private struct State {
        var credential: Scheme.Credential?
        /// The number of times that `credential` was set.
        var generation = 0
        var renewal: Renewal?
        var renewals: [ContinuousClock.Instant] = []
        /// The error of the last renewal, and the `generation` that it was to replace; nil if it succeeded.
        var failure: (error: any Error, generation: Int)?

        /// - Returns: the old credential. Releasing it can run foreign code, so the caller releases it outside the
        ///   lock.
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
    private let refreshTimeout: Duration?
    private let now: @Sendable () -> ContinuousClock.Instant
    private let state: Guarded<State>

    /// - Parameters:
    ///   - scheme: how a credential is put into a request and renewed.
    ///   - credential: the first credential; nil if the program sets `credential` later.
    ///   - hosts: the hosts that get the credential over https. They get it over http only if the base URL is http or
    ///     the host is loopback. Nil means the hosts of the manager: the origin of its base URL, and `credentialHosts`.
    ///     With an empty list, no host gets the credential.
    ///   - maximumRefreshes: the number of renewals that are allowed within `window`, for all calls together. A call
    ///     that needs one more renewal fails with code `excessiveRefresh` or, if the last one threw, as if this one had
    ///     thrown the same. Nil means no limit.
    ///   - window: the time over which renewals are counted.
    ///   - maximumRetries: how often one call is sent again because a server refused the credential.
    ///   - refreshTimeout: how long calls wait for one renewal. Then it is cancelled, these calls fail as if it had thrown,
    ///     and the next call begins another renewal, even if the first one ignores its cancellation. A credential that
    ///     comes late is kept, unless there is another one. Nil means no limit.
    public convenience init(
        _ scheme: Scheme, credential: Scheme.Credential? = nil, hosts: [HostPattern]? = nil,
        maximumRefreshes: Int? = 5, within window: Duration = .seconds(30), maximumRetries: Int = 5,
        refreshTimeout: Duration? = .seconds(60)
    ) {
        self.init(
            scheme, credential: credential, hosts: hosts, maximumRefreshes: maximumRefreshes, within: window,
            maximumRetries: maximumRetries, refreshTimeout: refreshTimeout, now: { .now })
    }

    init(
        _ scheme: Scheme, credential: Scheme.Credential?, hosts: [HostPattern]? = nil, maximumRefreshes: Int? = 5,
        within window: Duration = .seconds(30), maximumRetries: Int = 5, refreshTimeout: Duration? = nil,
        now: @escaping @Sendable () -> ContinuousClock.Instant
    ) {
        self.scheme = scheme
        self.hosts = hosts
        self.maximumRefreshes = maximumRefreshes
        self.window = window
        self.maximumRetries = maximumRetries
        self.refreshTimeout = refreshTimeout
        self.now = now
        state = Guarded(State(credential: credential))
    }

    /// The credential for later requests. If you set a credential during a renewal, the renewal doesn't replace it.
    public var credential: Scheme.Credential? {
        get { state.withLock(\.credential) }
        set { state.letGo { $0.set(newValue) } }
    }

    /// - Throws: an error that makes the call fail. The code of the failed call is `missingCredential` if there is no
    ///   credential, `excessiveRefresh` if the credential was renewed too often, and `adaptation` if `refresh` throws
    ///   or takes too long, if the call comes from `refresh` itself, or if nothing names the hosts. For a request that no manager sends, only `hosts:` names the hosts.
    public func adapt(_ request: SessionRequest) async throws -> SessionRequest {
        let put = request.adaptation ?? Adaptation(RequestBase(nil), CredentialScope(base: nil, hosts: []))
        let scope = try put.scope(limitedTo: hosts)
        guard put.mayBePut(on: request, by: self, scope) else { return request }
        let held = try held()
        var credential = held.credential
        if let renewal = held.renewal {
            credential = try await renewal.value()
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
            request.adaptation?.wereSent(by: self, to: error.request?.url) ?? true
        else { return .doNotRetry }
        do {
            let held = try held()
            let hasCredential = scheme.isRequest(request, authenticatedWith: held.credential)
            guard error.facts.ownRetries < maximumRetries else {
                throw hasCredential ? AuthenticationFailure.excessiveRefresh : .replacedCredential
            }
            // The credential was replaced while the call was running. No server has refused the new credential yet.
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

    /// Waits for a credential that is newer than `generation`. Starts a renewal if the current credential is not newer
    /// and no renewal is running.
    private func renewed(_ credential: Scheme.Credential, _ generation: Int) async throws -> Scheme.Credential {
        let now = now()
        let renewal = try state.withLock { state throws -> Renewal in
            if let renewal = state.renewal { return renewal }
            guard let current = state.credential else { throw AuthenticationFailure.missingCredential }
            guard state.generation == generation else { return Renewal(task: Task { current }) }
            try note(now, in: &state)
            let mark = RenewalMark()
            let task = Task {
                try await RenewalMark.$around.withValue(RenewalMark.around + [mark]) {
                    try await self.renew(credential, generation)
                }
            }
            state.renewal = Renewal(task: task, mark: mark)
            return Renewal(task: task, mark: mark)
        }
        return try await renewal.value()
    }

    private func note(_ now: ContinuousClock.Instant, in state: inout State) throws {
        guard let maximumRefreshes else { return }
        state.renewals.removeAll { $0.duration(to: now) > window }
        guard state.renewals.count < maximumRefreshes else {
            let failure = state.failure.flatMap { $0.generation == state.generation ? $0.error : nil }
            throw failure ?? AuthenticationFailure.excessiveRefresh
        }
        state.renewals.append(now)
    }

    private func renew(_ credential: Scheme.Credential, _ generation: Int) async throws -> Scheme.Credential {
        let failure = await refresh(credential, generation)
        state.letGo { state in
            defer { state.failure = failure.map { ($0, generation) } }
            return state.failure
        }
        return try state.withLock { state in
            state.renewal = nil
            if let failure, state.generation == generation { throw failure }
            // The program can have set `credential` during the renewal, perhaps to nil. Then the call uses that value.
            guard let current = state.credential else { throw AuthenticationFailure.missingCredential }
            return current
        }
    }

    /// Lets the scheme renew the credential, and returns the reason if there is no new one. A scheme that takes longer
    /// than the limit is not waited for, even if it ignores its cancellation: all later calls need the result.
    private func refresh(_ credential: Scheme.Credential, _ generation: Int) async -> (any Error)? {
        let renewing = { @Sendable [scheme, weak self] () async -> (any Error)? in
            do {
                let fresh = try await scheme.refresh(credential)
                // Kept after the limit too: the server can have ended the old refresh token.
                self?.state.letGo { $0.generation == generation ? $0.set(fresh) : nil }
                return nil
            } catch {
                return error
            }
        }
        guard let refreshTimeout else { return await renewing() }
        let isTooLong = OneShot()
        let timer = Task {
            try? await Task.sleep(for: refreshTimeout.waitable)
            isTooLong.fire()
        }
        defer { timer.cancel() }
        guard let outcome = await isTooLong.bounding(renewing) else {
            return AuthenticationFailure.slowRefresh(limit: refreshTimeout)
        }
        return outcome
    }
}

extension AuthenticationInterceptor: CustomStringConvertible, CustomReflectable {
    /// Names the scheme and says whether there is a credential, but doesn't show it.
    public var description: String {
        "authentication by \(Scheme.self), " + (credential == nil ? "without a credential" : "with a credential")
    }
    public var customMirror: Mirror { Mirror(described: self) }
}

/// A running renewal. Calls that its `refresh` makes find it in `around`, as do calls of the tasks that `refresh` starts.
private final class RenewalMark: Sendable {
    @TaskLocal static var around: [RenewalMark] = []
}

/// The reason that an `AuthenticationInterceptor` could not authenticate a request. Callers get its `code` in an error.
package enum AuthenticationFailure: Error, Sendable, Hashable {
    case missingCredential
    /// The credential was renewed too often within the window, or the servers refused one call too often.
    case excessiveRefresh
    /// The servers refused the call too often, and its request had another credential: another interceptor replaces the
    /// credential of this interceptor.
    case replacedCredential
    /// The renewal took longer than this limit.
    case slowRefresh(limit: Duration)
    /// The call comes from `refresh`, and would wait for the renewal that it is part of.
    case ownRenewal

    /// The code of the failed call; nil for the code that it has when `refresh` throws.
    var code: SessionError.Code? {
        switch self {
        case .missingCredential: .missingCredential
        case .excessiveRefresh: .excessiveRefresh
        case .replacedCredential: .retryRefused
        case .slowRefresh, .ownRenewal: nil
        }
    }
}

extension AuthenticationFailure: SafeToPrint {
    package var description: String {
        switch self {
        case .missingCredential: "there is no credential"
        case .excessiveRefresh: "the credential was renewed too often"
        case .replacedCredential: "another interceptor replaced its credential each time"
        case .slowRefresh(let limit):
            "the renewal of the credential took longer than \(limit.text); "
                + "a refresh that calls a manager with this interceptor waits for itself"
        case .ownRenewal:
            "the refresh of a credential sent it through the same AuthenticationInterceptor, and would wait for itself; "
                + "let refresh use a manager without this interceptor"
        }
    }
}
