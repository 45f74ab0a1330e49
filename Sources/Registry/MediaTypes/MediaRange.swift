/// A pattern for media types: `type/subtype`, `type/*`, `*/*`, `+suffix`, `type/*+suffix` or a group such as `@json`.
///
/// Each may be followed by `;name=value` parameters, all of which a media type must have; what it has beyond them is ignored.
/// Values compare exactly, that of `charset` without regard to case.
public struct MediaRange: Sendable, Hashable {
    /// What a range says about the essence; the names are in lower case.
    package enum Kind: Sendable, Hashable {
        case any
        case topLevel(String)
        case suffix(String)
        case topLevelSuffix(type: String, suffix: String)
        case exact(String)
        case group(MediaTypeGroup)
    }

    package let kind: Kind
    /// The kinds whose union `kind` is, groups resolved: what a compiled table files the range under.
    package let alternatives: [Kind]
    /// What must be there, names in lower case, the value of `charset` too.
    package let parameters: [MediaType.Parameter]

    /// Reads a pattern.
    /// - Throws: `PatternError`, which says what is wrong and shows the nearest valid spelling.
    public init(_ pattern: String) throws(PatternError) {
        (kind, parameters) = try MediaRangeParser.parse(pattern)
        if case .group(let group) = kind { alternatives = group.members } else { alternatives = [kind] }
    }

    /// Whether the media type is one of those meant.
    public func matches(_ mediaType: MediaType) -> Bool {
        alternatives.contains { $0.matches(mediaType) } && parametersMatch(mediaType)
    }

    /// Whether every parameter that the range names is there and has the value named.
    package func parametersMatch(_ mediaType: MediaType) -> Bool {
        parameters.allSatisfy { required in
            guard let value = mediaType[parameter: required.name] else { return false }
            return required.name == "charset" ? HeaderFields.matches(value, required.value) : value == required.value
        }
    }

    /// What the range gives to an Accept header: its concrete types, `type/*` and `*/*`; parameters, suffixes and most groups
    /// give nothing.
    public var acceptTypes: [String] {
        switch kind {
        case .any: ["*/*"]
        case .topLevel(let type): ["\(type)/*"]
        case .exact(let essence): [essence]
        case .group(let group): group.acceptTypes
        case .suffix, .topLevelSuffix: []
        }
    }
}

extension MediaRange.Kind {
    package func matches(_ mediaType: MediaType) -> Bool {
        switch self {
        case .any: true
        case .exact(let essence): mediaType.essence == essence
        case .topLevel(let type): mediaType.type == type
        case .suffix(let suffix): mediaType.suffix == suffix
        case .topLevelSuffix(let type, let suffix): mediaType.type == type && mediaType.suffix == suffix
        case .group(let group): group.members.contains { $0.matches(mediaType) }
        }
    }
}

extension MediaRange: CustomStringConvertible {
    /// The pattern in canonical spelling.
    public var description: String { parameters.reduce(into: kind.description) { $0 += ";\($1)" } }
}

extension MediaRange.Kind: CustomStringConvertible {
    package var description: String {
        switch self {
        case .any: "*/*"
        case .topLevel(let type): "\(type)/*"
        case .suffix(let suffix): "+\(suffix)"
        case .topLevelSuffix(let type, let suffix): "\(type)/*+\(suffix)"
        case .exact(let essence): essence
        case .group(let group): "@\(group.rawValue)"
        }
    }
}
