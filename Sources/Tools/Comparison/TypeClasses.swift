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

    /// The essences that one pattern matches, and the parameters that distinguish them.
    private struct Base: Sendable {
        /// A parameter, with its named values. All other values, and a missing parameter, count as one more value.
        struct Axis: Sendable {
            let name: String
            var values: [String]
        }

        let first: Int
        let axes: [Axis]
    }

    /// A missing type, an invalid type, then the classes of each base with its parameters.
    package private(set) var all: [Class] = [
        Class(name: "no Content-Type", contentType: .missing, field: nil),
        Class(name: "an invalid Content-Type", contentType: .invalid, field: "invalid"),
    ]
    private var bases: [Base] = []
    private let essences: [String: Int]
    private let topLevels: [String: Int]
    private let suffixes: [String: Int]

    init(_ registries: [SerializerRegistry]) throws(ComparisonFailure) {
        let ranges = registries.flatMap(\.everyEntry).filter { $0.availability != .switchedOff }
            .flatMap { $0.coverage.ranges ?? [] }
        var essences = OrderedNames()
        var topLevels = OrderedNames()
        var suffixes = OrderedNames()
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
        (self.essences, self.topLevels, self.suffixes) = (essences.index, topLevels.index, suffixes.index)
        let named = Set(ranges).filter { !$0.parameters.isEmpty }.sorted { $0.description < $1.description }
        guard (topLevels.names.count + 1) * (suffixes.names.count + 1) <= ComparisonFailure.mostClasses else {
            throw Self.tooMany
        }
        for essence in essences.names { try add(essence, essence, named, registries) }
        let otherType = ["application", "x-other"].first { topLevels.index[$0] == nil } ?? topLevels.fresh("x-other")
        var subtype = "vnd.example"
        while essences.names.contains(where: { $0.contains("/\(subtype)") }) { subtype += "-other" }
        for type in topLevels.names.map(Optional.some) + [nil] {
            for suffix in suffixes.names.map(Optional.some) + [nil] {
                let pattern =
                    if let type { suffix.map { "\(type)/*+\($0)" } ?? "\(type)/*" } else {
                        suffix.map { "+\($0)" } ?? "*/*"
                    }
                let end = suffix.map { "+\($0)" } ?? ""
                let start = "\(type ?? otherType)/"
                let known = Self.known.first { suffix == nil && $0.hasPrefix(start) && essences.index[$0] == nil }
                try add(pattern, known ?? start + subtype + end, named, registries)
            }
        }
    }

    /// Adds a base, with a class for every combination of parameters.
    private mutating func add(
        _ pattern: String, _ essence: String, _ named: [MediaRange], _ registries: [SerializerRegistry]
    ) throws(ComparisonFailure) {
        // Every pattern consists of names that a media type can have.
        guard let mediaType = MediaType(parsing: essence) else { return bases.append(Base(first: 1, axes: [])) }
        var axes: [Base.Axis] = []
        let seen = registries.compactMap { $0.compiled.matched(.mediaType(mediaType)) }
        for range in named where seen.contains(where: { type in range.alternatives.contains { $0.matches(type) } }) {
            for parameter in range.parameters {
                let index = axes.firstIndex { $0.name == parameter.name }
                guard let index else {
                    axes.append(.init(name: parameter.name, values: [parameter.value]))
                    continue
                }
                if !axes[index].values.contains(parameter.value) { axes[index].values.append(parameter.value) }
            }
        }
        var combinations = 1
        for axis in axes {
            combinations *= axis.values.count + 1
            guard combinations <= ComparisonFailure.mostParameters else {
                throw ComparisonFailure(
                    "entries name more than \(ComparisonFailure.mostParameters) combinations of parameters of \(pattern)"
                )
            }
        }
        bases.append(Base(first: all.count, axes: axes))
        guard all.count + combinations <= ComparisonFailure.mostClasses else { throw Self.tooMany }
        for combination in 0..<combinations {
            var rest = combination
            var text = ""
            for axis in axes {
                let value = rest % (axis.values.count + 1)
                rest /= axis.values.count + 1
                if value > 0 { text += ";\(MediaType.Parameter(name: axis.name, value: axis.values[value - 1]))" }
            }
            let field = essence + text
            all.append(Class(name: pattern + text, contentType: ContentType(rawValues: [field]), field: field))
        }
    }

    package func index(of contentType: ContentType) -> Int {
        guard let mediaType = contentType.mediaType else { return contentType == .missing ? 0 : 1 }
        let row = topLevels[mediaType.type] ?? topLevels.count
        let column = mediaType.suffix.flatMap { suffixes[$0] } ?? suffixes.count
        let base = bases[essences[mediaType.essence] ?? essences.count + row * (suffixes.count + 1) + column]
        var index = base.first
        var step = 1
        for axis in base.axes {
            let value = mediaType[parameter: axis.name].map {
                axis.name == "charset" ? FieldByte.lowercased($0) : $0
            }
            index += step * (value.flatMap { axis.values.firstIndex(of: $0) }.map { $0 + 1 } ?? 0)
            step *= axis.values.count + 1
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
        private(set) var names: [String] = []
        private(set) var index: [String: Int] = [:]

        mutating func add(_ name: String) {
            guard index[name] == nil else { return }
            index[name] = names.count
            names.append(name)
        }

        /// A name outside the list.
        func fresh(_ start: String) -> String {
            var name = start
            while index[name] != nil { name += "-other" }
            return name
        }
    }
}
