package import PatchbayJSON

/// One entry, ready to run.
///
/// A class of constants only, so that a decision keeps it for the price of one reference.
package final class RegistryEntry: Sendable {
    package let id: String
    package let factory: String
    /// What the manifest gave the factory; empty where it says nothing.
    package let options: JSON
    package let coverage: Coverage
    package let maximumBodyBytes: Int?
    package let onFailure: FailureRule
    /// Nil where the entry always declines.
    package let serializer: BoundSerializer?
    package let availability: SerializerRegistry.Route.Availability
    /// The host section that it is written in; nil for the global list.
    package let hostSection: String?
    let file: String
    let pointer: String
    package let isReplaced: Bool

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

    func replaced(by serializer: any ResponseSerializer) -> RegistryEntry {
        RegistryEntry(
            id: id, factory: factory, options: options, coverage: coverage, maximumBodyBytes: maximumBodyBytes,
            onFailure: onFailure, serializer: serializer, availability: .available, hostSection: hostSection,
            file: file,
            pointer: pointer, isReplaced: true)
    }

    /// The same entry, whose serializer is not asked what it declines.
    package var takingAll: RegistryEntry {
        RegistryEntry(
            id: id, factory: factory, options: options, coverage: coverage, maximumBodyBytes: maximumBodyBytes,
            onFailure: onFailure, serializer: serializer?.serializer, availability: availability,
            hostSection: hostSection,
            file: file, pointer: pointer, isReplaced: isReplaced, isAsked: false)
    }

    package var route: SerializerRegistry.Route {
        SerializerRegistry.Route(
            id: id, factory: factory, types: coverage.ranges.map { $0.map(\.description) }, status: coverage.status,
            wanted: coverage.isForElements ? .elements : nil, output: serializer.map { "\($0.output)" },
            onFailure: onFailure, maximumBodyBytes: maximumBodyBytes,
            availability: availability, hostSection: hostSection, file: file, pointer: pointer, isReplaced: isReplaced)
    }
}

/// Which responses an entry covers, and of which calls: media types, statuses and what is wanted, all of which must hold.
package struct Coverage: Sendable {
    /// Any one of these; nil covers every response, also one whose type is missing or invalid.
    package let ranges: [MediaRange]?
    package let status: StatusSet
    /// Whether elements, or an array of them, have to be wanted.
    package let isForElements: Bool

    package init(ranges: [MediaRange]?, status: StatusSet, isForElements: Bool = false) {
        self.ranges = ranges
        self.status = status
        self.isForElements = isForElements
    }

    package func coversWish(_ wanted: WantedValue) -> Bool { !isForElements || wanted.isOfElements }

    package func coversType(_ mediaType: MediaType?) -> Bool {
        guard let ranges else { return true }
        guard let mediaType else { return false }
        return ranges.contains { $0.matches(mediaType) }
    }

    /// Whether every response that the other one covers is covered by this one. One that is for elements and one that is not are two
    /// things: neither stands in the way of the other.
    package func covers(_ other: Coverage) -> Bool {
        guard isForElements == other.isForElements, status.covers(other.status) else { return false }
        guard let ranges else { return true }
        guard let others = other.ranges else { return false }
        return ranges.covers(others)
    }

    func statusGap(_ code: Int) -> String { "status \(code) is outside \(status)" }

    func typeGap(_ contentType: ContentType, seenAs mediaType: MediaType?) -> String {
        let asked = QuotedList((ranges ?? []).map(\.description), quoted: false)
        switch contentType {
        case .missing: return "there is no Content-Type, and it asks for \(asked)"
        case .invalid: return "the Content-Type is invalid, and it asks for \(asked)"
        case .mediaType: return "\(ShownType(mediaType)) is outside \(asked)"
        }
    }
}
