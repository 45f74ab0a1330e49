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
        var (essences, topLevels, suffixes) = (OrderedNames(), OrderedNames(), OrderedNames())
        for kind in ranges.flatMap(\.alternatives) {
            switch kind {
            case .exact(let essence): essences.add(essence)
            case .topLevel(let type): topLevels.add(type)
            case .suffix(let suffix): suffixes.add(suffix)
            case .topLevelSuffix(let type, let suffix):
                topLevels.add(type)
                suffixes.add(suffix)
            case .any, .group: break
            }
        }
        for (source, target) in registries.flatMap({ $0.compiled.aliases.sorted { $0.key < $1.key } }) {
            essences.add(source)
            essences.add(target.essence)
        }
        let named = Set(ranges).filter { !$0.parameters.isEmpty }.sorted { $0.description < $1.description }
        guard (topLevels.all.count + 1) * (suffixes.all.count + 1) <= ComparisonFailure.mostClasses else {
            throw Self.tooMany
        }
        for essence in essences.all { try add(essence, essence, named, registries) }
        let otherType = ["application", "x-other"].first { !topLevels.has($0) } ?? topLevels.fresh("x-other")
        var subtype = "vnd.example"
        while essences.all.contains(where: { $0.contains("/\(subtype)") }) { subtype += "-other" }
        for type in topLevels.all.map(Optional.some) + [nil] {
            for suffix in suffixes.all.map(Optional.some) + [nil] {
                let end = suffix.map { "+\($0)" } ?? ""
                let start = "\(type ?? otherType)/"
                let pattern =
                    switch (type, suffix) {
                    case (nil, nil): "*/*"
                    case (nil, _): end
                    case (let type?, nil): "\(type)/*"
                    case (let type?, _): "\(type)/*\(end)"
                    }
                let known = Self.known.first { suffix == nil && $0.hasPrefix(start) && !essences.has($0) }
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
        var values: [(name: String, values: OrderedNames)] = []
        let seen = registries.compactMap { $0.compiled.matched(.mediaType(mediaType)) }
        for range in named where seen.contains(where: { type in range.alternatives.contains { $0.matches(type) } }) {
            for parameter in range.parameters {
                let index = values.firstIndex { $0.name == parameter.name } ?? values.count
                if index == values.count { values.append((parameter.name, OrderedNames())) }
                values[index].values.add(parameter.value)
            }
        }
        var texts = [""]
        for (name, values) in values {
            guard texts.count * (values.all.count + 1) <= ComparisonFailure.mostParameters else {
                throw ComparisonFailure(
                    "entries name more than \(ComparisonFailure.mostParameters) combinations of parameters of \(pattern)"
                )
            }
            let parameters = [""] + values.all.map { ";\(MediaType.Parameter(name: name, value: $0))" }
            texts = parameters.flatMap { parameter in texts.map { $0 + parameter } }
        }
        guard all.count + texts.count <= ComparisonFailure.mostClasses else { throw Self.tooMany }
        families[pattern] = (
            all.count, values.map { values in values.values.all.map { .init(name: values.name, value: $0) } }
        )
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

    /// Names, each once, in the order of their first use.
    private struct OrderedNames {
        private(set) var all: [String] = []
        private var known: Set<String> = []

        func has(_ name: String) -> Bool { known.contains(name) }

        mutating func add(_ name: String) { if known.insert(name).inserted { all.append(name) } }

        /// A name outside the list.
        func fresh(_ start: String) -> String {
            var name = start
            while has(name) { name += "-other" }
            return name
        }
    }
}
