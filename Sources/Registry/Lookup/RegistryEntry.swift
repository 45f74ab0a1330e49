/// One entry, ready to run.
struct RegistryEntry: Sendable {
    let id: String
    let factory: String
    let coverage: Coverage
    let maximumBodyBytes: Int?
    let onFailure: FailureRule
    /// Nil where the entry always declines.
    let serializer: BoundSerializer?
    let availability: Route.Availability
    /// The host section that it is written in; nil for the global list.
    let hostSection: String?
    let file: String
    let pointer: String
    var isReplaced = false

    /// The same entry with another serializer.
    func replaced(by serializer: BoundSerializer) -> RegistryEntry {
        RegistryEntry(
            id: id, factory: factory, coverage: coverage, maximumBodyBytes: maximumBodyBytes, onFailure: onFailure,
            serializer: serializer, availability: .available, hostSection: hostSection, file: file, pointer: pointer,
            isReplaced: true)
    }

    var route: Route {
        Route(
            id: id, factory: factory, types: coverage.ranges.map { $0.map(\.description) }, status: coverage.status,
            output: serializer.map { "\($0.output)" }, onFailure: onFailure, maximumBodyBytes: maximumBodyBytes,
            availability: availability, hostSection: hostSection, file: file, pointer: pointer, isReplaced: isReplaced)
    }
}
