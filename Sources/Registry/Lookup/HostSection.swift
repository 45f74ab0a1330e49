/// What holds for one host: its policy and its own compiled table.
///
/// A class of constants only, so that a decision keeps its section for the price of one reference.
final class HostSection: Sendable {
    /// The pattern; nil for the hosts that have no section.
    let pattern: HostPattern?
    let policy: Policy
    let table: RouteTable
    /// The Accept of a dynamic call under the policy's own statuses.
    let accept: String?

    init(pattern: HostPattern?, policy: Policy, entries: [RegistryEntry]) {
        self.pattern = pattern
        self.policy = policy
        table = RouteTable(entries)
        accept = AcceptHeader(entries, policy).value(producing: .anything, acceptable: policy.acceptableStatus)
    }

    var name: String? { pattern?.canonical }
}
