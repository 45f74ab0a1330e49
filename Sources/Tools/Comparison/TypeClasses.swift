package import PatchbayRegistry

/// The media types of responses, in classes that no pattern and no alias of some registries distinguishes.
///
/// Every named essence is a class. All other essences are distinguished by named top-level types and by named suffixes.
/// A parameter distinguishes classes if a range that matches the essence names the parameter: each named value is one
/// class, and all other values are one class.
package struct TypeClasses: Sendable {
    package struct Class: Sendable {
        /// A pattern for the class: `application/json`, `+json`, `text/*;charset=utf-8`, `*/*`; or words for a missing
        /// type.
        package let name: String
        package let contentType: ContentType
        /// The Content-Type of the example; nil for none.
        package let field: String?
        /// The Content-Type of the example, or the name if that is not valid.
        package var example: String { contentType.mediaType.flatMap { _ in field } ?? name }
    }

    /// A missing type, an invalid type, then the classes of each pattern with its parameters.
    package private(set) var all: [Class] = [
        Class(name: "no Content-Type", contentType: .missing, field: nil),
        Class(name: "an invalid Content-Type", contentType: .invalid, field: "invalid"),
    ]

    /// The first class of each pattern, and the parameters that distinguish its classes.
    private var families: [String: (first: Int, parameters: [[MediaType.Parameter]])] = [:]

    init(_ registries: [SerializerRegistry]) throws(ComparisonFailure) {
        let ranges = registries.flatMap(\.everyEntry).filter { $0.availability != .switchedOff }
            .flatMap { $0.coverage.ranges ?? [] }
        var (essences, topLevels, suffixes): ([String], [String], [String]) = ([], [], [])
        for kind in ranges.flatMap(\.alternatives) {
            switch kind {
            case .exact(let essence): essences.append(essence)
            case .topLevel(let type): topLevels.append(type)
            case .suffix(let suffix): suffixes.append(suffix)
            case .topLevelSuffix(let type, let suffix):
                topLevels.append(type)
                suffixes.append(suffix)
            case .any, .group: break
            }
        }
        for (source, target) in registries.flatMap({ $0.compiled.aliases.sorted { $0.key < $1.key } }) {
            essences += [source, target.essence]
        }
        (essences, topLevels, suffixes) = (
            essences.once(by: \.self), topLevels.once(by: \.self), suffixes.once(by: \.self)
        )
        let named = Set(ranges).filter { !$0.parameters.isEmpty }.sorted { $0.description < $1.description }
        guard (topLevels.count + 1) * (suffixes.count + 1) <= ComparisonFailure.mostClasses else {
            throw Self.tooMany
        }
        for essence in essences { try add(essence, essence, named, registries) }
        var otherType = topLevels.contains("application") ? "x-other" : "application"
        while topLevels.contains(otherType) { otherType += "-other" }
        var subtype = "vnd.example"
        while essences.contains(where: { $0.contains("/\(subtype)") }) { subtype += "-other" }
        let unnamed = Self.known.filter { !essences.contains($0) }
        for type in topLevels.map(Optional.some) + [nil] {
            for suffix in suffixes.map(Optional.some) + [nil] {
                let end = suffix.map { "+\($0)" } ?? ""
                let start = "\(type ?? otherType)/"
                let pattern =
                    switch (type, suffix) {
                    case (nil, nil): "*/*"
                    case (nil, _): end
                    case (let type?, nil): "\(type)/*"
                    case (let type?, _): "\(type)/*\(end)"
                    }
                let known = unnamed.first { suffix == nil && $0.hasPrefix(start) }
                try add(pattern, known ?? start + subtype + end, named, registries)
            }
        }
    }

    /// Adds a class for every combination of the parameters that ranges for this essence name. All values that no range
    /// names, and a missing parameter, count as one more value.
    private mutating func add(
        _ pattern: String, _ essence: String, _ named: [MediaRange], _ registries: [SerializerRegistry]
    ) throws(ComparisonFailure) {
        // Every pattern consists of names that a media type can have.
        guard let mediaType = MediaType(parsing: essence) else { return }
        let seen = registries.compactMap { $0.compiled.matched(.mediaType(mediaType)) }
        let matching = named.filter { range in
            seen.contains { type in range.alternatives.contains { $0.matches(type) } }
        }
        let parameters = matching.flatMap(\.parameters).once(by: \.self)
        let family = parameters.once(by: \.name).map { first in parameters.filter { $0.name == first.name } }
        var texts = [""]
        for values in family {
            guard texts.count * (values.count + 1) <= ComparisonFailure.mostParameters else {
                throw ComparisonFailure(
                    "entries name more than \(ComparisonFailure.mostParameters) combinations of parameters of \(pattern)"
                )
            }
            texts = ([""] + values.map { ";\($0)" }).flatMap { parameter in texts.map { $0 + parameter } }
        }
        guard all.count + texts.count <= ComparisonFailure.mostClasses else { throw Self.tooMany }
        families[pattern] = (all.count, family)
        for text in texts {
            let field = essence + text
            all.append(Class(name: pattern + text, contentType: ContentType(rawValues: [field]), field: field))
        }
    }

    /// The class of a Content-Type. Of the classes of a pattern, the parameters of the first pass most quickly from one
    /// value to the next.
    package func index(of contentType: ContentType) -> Int? {
        guard let type = contentType.mediaType else { return contentType == .missing ? 0 : 1 }
        let suffix = type.suffix.map { "+\($0)" }.flatMap { families[$0] == nil ? nil : $0 }
        let top = families["\(type.type)/*"] == nil ? nil : "\(type.type)/*"
        let pattern = top.map { $0 + (suffix ?? "") } ?? suffix ?? "*/*"
        guard let family = families[type.essence] ?? families[pattern] else { return nil }
        var (index, step) = (family.first, 1)
        for values in family.parameters {
            index += step * ((values.firstIndex { $0.matches(type) } ?? -1) + 1)
            step *= values.count + 1
        }
        return index
    }

    /// Examples that readers know, and that serializers do not decline.
    private static let known = [
        "text/plain", "text/html", "application/octet-stream", "image/png", "image/jpeg", "image/gif",
    ]

    private static let tooMany = ComparisonFailure(
        "there are more than \(ComparisonFailure.mostClasses) classes of media types")
}

extension Sequence {
    /// The elements in their order, without those whose key an earlier element has.
    package func once<Key: Hashable>(by key: (Element) -> Key) -> [Element] {
        var known: Set<Key> = []
        return filter { known.insert(key($0)).inserted }
    }

    /// The elements in groups of the same key, each where its first element is.
    package func grouped<Key: Hashable>(by key: (Element) -> Key) -> [[Element]] {
        var groups: [[Element]] = []
        var known: [Key: Int] = [:]
        for element in self {
            let shared = key(element)
            if let index = known[shared] {
                groups[index].append(element)
            } else {
                known[shared] = groups.count
                groups.append([element])
            }
        }
        return groups
    }
}
