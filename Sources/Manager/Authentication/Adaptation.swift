import PatchbayPlatform
import PatchbayRegistry

/// The notes of the interceptors beside the request of one attempt: the credentials that they have put on it, with the
/// hosts that are allowed to get them, the limit of the attempt, the budgets that count its requests, and the retry that
/// is reserved in them.
///
/// An object beside the request, because an interceptor can return a new request. The final URL is known only after all
/// interceptors, and the modifier and the serializer of `PatchbayMigration`, have changed the request. `takeBack` then
/// removes the credentials that must not go to the final URL.
final class Adaptation: Sendable {
    private struct Entry {
        let owner: ObjectIdentifier
        let scope: CredentialScope
        /// The fields that the credential added, and the fields that it replaced.
        let added, replaced: [HeaderFields.Element]
        let isInURL: Bool
        var isTakenBack = false
    }

    private struct State {
        var entries: [Entry] = []
        /// The interceptors that did not put their credential on the request, because the URL at that time was outside
        /// their scope.
        var withheld: Set<ObjectIdentifier> = []
        var limit: Duration?
        var budgets: [RetryPolicy] = []
        /// The reason that a policy gave for no retry, as a clause.
        var refusal: String?
    }

    let base: RequestBase
    private let scope: CredentialScope
    /// Fires if the retry that policies have reserved is not sent. An interceptor can still be running then.
    private let unsent = OneShot()
    private let state = Guarded(State())

    init(_ base: RequestBase, _ scope: CredentialScope) { (self.base, self.scope) = (base, scope) }

    /// Returns the scope of a credential for these hosts, or for the hosts of the manager if `hosts` is nil.
    /// - Throws: `Refusal` if nothing names the hosts.
    func scope(limitedTo hosts: [HostPattern]?) throws(Refusal) -> CredentialScope {
        let scope = scope.limited(to: hosts)
        guard !scope.isUnknown else { throw .unknownHosts }
        return scope
    }

    /// Whether an interceptor is allowed to send its credential to the current URL of the request. If not, adds the
    /// interceptor to `withheld`.
    func mayBePut(on request: SessionRequest, by owner: AnyObject, _ scope: CredentialScope) -> Bool {
        let isCovered = (try? base.target(of: request)).map(scope.covers) ?? false
        let owner = ObjectIdentifier(owner)
        state.withLock { $0.withheld = isCovered ? $0.withheld.subtracting([owner]) : $0.withheld.union([owner]) }
        return isCovered
    }

    /// Notes the changes that a credential made to the request.
    func note(_ owner: AnyObject, _ scope: CredentialScope, before: SessionRequest, after: SessionRequest) {
        let (old, new) = (before.headers, after.headers)
        let entry = Entry(
            owner: ObjectIdentifier(owner), scope: scope, added: Self.fields(of: new, missingIn: old),
            replaced: Self.fields(of: old, missingIn: new),
            isInURL: before.reference != after.reference)
        state.withLock { $0.entries.append(entry) }
    }

    /// Whether the interceptor withheld its credential. `Call.adapt` then calls the interceptor again, because another
    /// interceptor can have changed the URL since.
    func withheld(_ interceptor: any RequestInterceptor) -> Bool {
        guard type(of: interceptor) is AnyClass else { return false }
        let withheld = state.withLock(\.withheld)
        return withheld.contains(ObjectIdentifier(interceptor as AnyObject))
    }

    /// Whether the credential of an interceptor was sent to the URL of the last exchange.
    func wereSent(by owner: AnyObject, to url: URL?) -> Bool {
        let owner = ObjectIdentifier(owner)
        return state.withLock(\.entries).contains { entry in
            entry.owner == owner && !entry.isTakenBack && url.map(entry.scope.covers) ?? true
        }
    }

    /// Notes the limit of a policy for the attempt, and the budget that counts its requests.
    func note(_ policy: RetryPolicy) {
        state.withLock { state in
            if let limit = policy.attemptTimeout { state.limit = min(state.limit ?? limit, limit) }
            if policy.maximumExtraLoad != nil { state.budgets.append(policy) }
        }
    }

    /// The shortest limit for the attempt; nil: no limit.
    var limit: Duration? { state.withLock(\.limit) }

    /// Counts a request that is sent to the host.
    func count(_ host: CanonicalHost) {
        for policy in state.withLock(\.budgets) { policy.count(host) }
    }

    var refusal: String? { state.withLock(\.refusal) }

    /// Notes why a policy wants no retry that its settings else allow.
    func refuse(_ reason: String) { state.withLock { $0.refusal = reason } }

    /// Notes a retry that `load` has counted in a second. Several policies can reserve, if an interceptor asks them all.
    func reserve(_ load: RetryLoad, _ host: CanonicalHost, takenIn second: Int) {
        unsent.whenFired { load.returnRetry(of: host, takenIn: second) }
    }

    /// Gives back the retry, which will not be sent.
    func giveBack() { unsent.fire() }

    var names: [String] { state.withLock(\.entries).flatMap { $0.added.map(\.name) } }

    /// Removes the fields of credentials that must not go to the target, and restores the fields that these credentials
    /// replaced.
    /// - Throws: `Refusal` if such a credential is in the URL.
    func takeBack(from headers: inout HeaderFields, for target: RequestTarget) throws(Refusal) {
        let entries = state.withLock(\.entries)
        for (index, entry) in entries.enumerated().reversed() where !entry.scope.covers(target) {
            guard !entry.isInURL else { throw .movedCredential }
            state.withLock { $0.entries[index].isTakenBack = true }
            let rest = headers.filter { field in !entry.added.contains { Self.holds(field, $0) } }
            guard rest.count < headers.count else { continue }
            headers = HeaderFields(rest + entry.replaced)
        }
    }

    private static func fields(of fields: HeaderFields, missingIn others: HeaderFields) -> [HeaderFields.Element] {
        fields.filter { field in !others.contains { $0 == field } }
    }

    /// Whether a field still contains the value that a credential added, perhaps with text before or after it.
    private static func holds(_ field: HeaderFields.Element, _ added: HeaderFields.Element) -> Bool {
        guard HeaderFields.matches(field.name, added.name) else { return false }
        return added.value.isEmpty ? field.value.isEmpty : field.value.contains(added.value)
    }
}

extension Refusal {
    fileprivate static let unknownHosts = Refusal(
        "an AuthenticationInterceptor does not know which hosts may see its credential: give it hosts:, or the manager a base "
            + "URL or configuration.credentialHosts")

    fileprivate static let movedCredential = Refusal(
        "its URL was changed to a host that may not see the credential that an AuthenticationInterceptor had put into it: let "
            + "the interceptor that changes it stand in front")
}
