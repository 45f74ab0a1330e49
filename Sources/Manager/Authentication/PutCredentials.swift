import PatchbayPlatform
import PatchbayRegistry

/// What the authenticating interceptors of one try have put on its request, and where that may go.
///
/// An object beside the request, because interceptors may make the request anew. The URL that it goes to is known for sure once all
/// of them, the modifier and the serializer have had it: then `takeBack` has the last word.
final class PutCredentials: Sendable {
    private struct Entry {
        let owner: ObjectIdentifier
        let scope: CredentialScope
        /// The fields that the credential brought, and those that it replaced.
        let added, replaced: [HeaderFields.Element]
        let isInURL: Bool
        var isTakenBack = false
    }

    private struct State {
        var entries: [Entry] = []
        /// Those that had no leave for the URL as it was when they were asked.
        var withheld: Set<ObjectIdentifier> = []
    }

    let base: RequestBase
    private let scope: CredentialScope
    private let state = Guarded(State())

    init(_ base: RequestBase, _ scope: CredentialScope) { (self.base, self.scope) = (base, scope) }

    /// Where a credential for these hosts may go; for nil the manager's say.
    /// - Throws: `Refusal` where nothing says so.
    func scope(limitedTo hosts: [HostPattern]?) throws(Refusal) -> CredentialScope {
        let scope = scope.limited(to: hosts)
        guard !scope.isUnknown else { throw .unknownHosts }
        return scope
    }

    /// Whether the credential may go to where the request goes as it is.
    func mayBePut(on request: SessionRequest, by owner: AnyObject, _ scope: CredentialScope) -> Bool {
        let target = try? base.target(request.target, query: request.query, encodedQuery: request.escapedQuery)
        let isCovered = target.map(scope.covers) ?? false
        let owner = ObjectIdentifier(owner)
        state.withLock { $0.withheld = isCovered ? $0.withheld.subtracting([owner]) : $0.withheld.union([owner]) }
        return isCovered
    }

    /// Notes what a credential has changed.
    func note(_ owner: AnyObject, _ scope: CredentialScope, before: SessionRequest, after: SessionRequest) {
        let (old, new) = (before.headers, after.headers)
        let entry = Entry(
            owner: ObjectIdentifier(owner), scope: scope, added: Self.fields(of: new, missingIn: old),
            replaced: Self.fields(of: old, missingIn: new),
            isInURL: before.reference != after.reference)
        state.withLock { $0.entries.append(entry) }
    }

    /// Whether a credential was withheld, so that it has to be asked again for the URL that came of it.
    func withheld(_ interceptor: any RequestInterceptor) -> Bool {
        guard type(of: interceptor) is AnyClass else { return false }
        let withheld = state.withLock(\.withheld)
        return withheld.contains(ObjectIdentifier(interceptor as AnyObject))
    }

    /// Whether the credential of an interceptor was sent to the URL, that of the last redirect.
    func wereSent(by owner: AnyObject, to url: URL?) -> Bool {
        let owner = ObjectIdentifier(owner)
        return state.withLock(\.entries).contains { entry in
            entry.owner == owner && !entry.isTakenBack && url.map(entry.scope.covers) ?? true
        }
    }

    var names: [String] { state.withLock(\.entries).flatMap { $0.added.map(\.name) } }

    /// Takes the fields of credentials that may not go to the target out of a request, and puts back what they replaced.
    /// - Throws: `Refusal` where one is in the URL.
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

    /// Whether a field still has what a credential brought, perhaps with something put before or behind it.
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
