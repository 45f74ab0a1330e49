/// What holds for one host: its policy and its own compiled table.
///
/// A class of constants only, so that a decision keeps its section for the price of one reference.
final class HostSection: Sendable {
    /// The pattern; nil for the hosts that have no section.
    let pattern: HostPattern?
    let policy: SerializerRegistry.Policy
    let table: RouteTable
    let accept: AcceptHeader

    init(pattern: HostPattern?, policy: SerializerRegistry.Policy, entries: [RegistryEntry]) {
        self.pattern = pattern
        self.policy = policy
        table = RouteTable(entries)
        accept = AcceptHeader(entries, policy)
    }

    var name: String? { pattern?.canonical }
}
