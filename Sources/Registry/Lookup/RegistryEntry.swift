import PatchbayJSON

/// One entry, ready to run.
///
/// A class of constants only, so that a decision keeps it for the price of one reference.
final class RegistryEntry: Sendable {
    let id: String
    let factory: String
    /// What the manifest gave the factory; empty where it says nothing.
    let options: JSON
    let coverage: Coverage
    let maximumBodyBytes: Int?
    let onFailure: FailureRule
    /// Nil where the entry always declines.
    let serializer: BoundSerializer?
    let availability: SerializerRegistry.Route.Availability
    /// The host section that it is written in; nil for the global list.
    let hostSection: String?
    let file: String
    let pointer: String
    let isReplaced: Bool

    init(
        id: String, factory: String, options: JSON, coverage: Coverage, maximumBodyBytes: Int?, onFailure: FailureRule,
        serializer: (any ResponseSerializer)?, availability: SerializerRegistry.Route.Availability,
        hostSection: String?, file: String,
        pointer: String, isReplaced: Bool = false, isAsked: Bool = true
    ) {
        self.id = id
        self.factory = factory
        self.options = options
        self.coverage = coverage
        self.maximumBodyBytes = maximumBodyBytes
        self.onFailure = onFailure
        self.serializer = serializer.map {
            BoundSerializer(
                $0, entry: id, maximumBodyBytes: maximumBodyBytes, onFailure: onFailure, isAsked: isAsked)
        }
        self.availability = availability
        self.hostSection = hostSection
        self.file = file
        self.pointer = pointer
        self.isReplaced = isReplaced
    }

    /// The same entry with another serializer.
    func replaced(by serializer: any ResponseSerializer) -> RegistryEntry {
        RegistryEntry(
            id: id, factory: factory, options: options, coverage: coverage, maximumBodyBytes: maximumBodyBytes,
            onFailure: onFailure, serializer: serializer, availability: .available, hostSection: hostSection,
            file: file,
            pointer: pointer, isReplaced: true)
    }

    /// The same entry, whose serializer is not asked what it declines.
    var takingAll: RegistryEntry {
        RegistryEntry(
            id: id, factory: factory, options: options, coverage: coverage, maximumBodyBytes: maximumBodyBytes,
            onFailure: onFailure, serializer: serializer?.serializer, availability: availability,
            hostSection: hostSection,
            file: file, pointer: pointer, isReplaced: isReplaced, isAsked: false)
    }

    var route: SerializerRegistry.Route {
        SerializerRegistry.Route(
            id: id, factory: factory, types: coverage.ranges.map { $0.map(\.description) }, status: coverage.status,
            wanted: coverage.isForElements ? .elements : nil, output: serializer.map { "\($0.output)" },
            onFailure: onFailure, maximumBodyBytes: maximumBodyBytes,
            availability: availability, hostSection: hostSection, file: file, pointer: pointer, isReplaced: isReplaced)
    }
}
