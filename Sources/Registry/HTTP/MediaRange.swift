/// A pattern for media types: `type/subtype`, `type/*`, `*/*`, `+suffix`, `type/*+suffix` or a group such as `@json`.
///
/// Each pattern can have `;name=value` parameters. A media type must have all of them, and can have more. Values
/// compare exactly, `charset` without regard to case.
package struct MediaRange: Sendable, Hashable {
    /// The condition on the essence, with names in lower case.
    package enum Kind: Sendable, Hashable {
        case any
        case topLevel(String)
        case suffix(String)
        case topLevelSuffix(type: String, suffix: String)
        case exact(String)
        case group(MediaTypeGroup)
    }

    package let kind: Kind
    /// The kinds, none of them a group, that together match the same types as `kind`. `RouteTable` indexes the range
    /// under them.
    package let alternatives: [Kind]
    /// The required parameters. Their names are in lower case, and so is the value of `charset`.
    package let parameters: [MediaType.Parameter]

    /// Reads a pattern.
    /// - Throws: `PatternFailure` with the fault and the nearest valid spelling.
    package init(_ pattern: String) throws(PatternFailure) {
        (kind, parameters) = try Self.parse(pattern)
        if case .group(let group) = kind { alternatives = group.members } else { alternatives = [kind] }
    }

    /// The essence of a range for one type; nil for any other range.
    var essence: String? { if case .exact(let essence) = kind { essence } else { nil } }

    @inline(never)  // Else its callers hold three copies of 8 KB.
    package func matches(_ mediaType: MediaType) -> Bool {
        matchesName(of: mediaType) && parametersMatch(mediaType)
    }

    /// Whether the range matches the media type without regard to parameters.
    func matchesName(of mediaType: MediaType) -> Bool { alternatives.contains { $0.matches(mediaType) } }

    /// Whether the media type has every parameter of the range with its value.
    package func parametersMatch(_ mediaType: MediaType) -> Bool { parameters.allSatisfy { $0.matches(mediaType) } }

    /// The types for an Accept header: single types and `type/*`, with the parameters of the range except `q`, which is
    /// the weight there (RFC 9110, section 12.5.1). `*/*` and suffix patterns have no such types. Of the groups, only
    /// `json` and `xml` have such types.
    package var acceptTypes: [String] {
        let types: [String] =
            switch kind {
            case .topLevel(let type): ["\(type)/*"]
            case .exact(let essence): [essence]
            case .group(let group): group.acceptTypes
            case .any, .suffix, .topLevelSuffix: []
            }
        let parameters = parameters.filter { $0.name != "q" }.map { ";\($0)" }.joined()
        return types.map { $0 + parameters }
    }

    /// Whether the range is one type of a vendor, of a person or of no registry, without a suffix (RFC 6838, section 3).
    /// Such a name tells no format.
    var tellsNoFormat: Bool {
        guard case .exact(let essence) = kind, let type = MediaType(parsing: essence), type.suffix == nil else {
            return false
        }
        return ["vnd.", "prs.", "x."].contains { type.subtype.hasPrefix($0) }
    }
}

extension MediaType.Parameter {
    /// Whether the media type has this parameter with this value.
    package func matches(_ mediaType: MediaType) -> Bool {
        guard let received = mediaType[parameter: name] else { return false }
        return name == "charset" ? HeaderFields.matches(received, value) : received == value
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
    package var description: String { parameters.reduce(into: kind.description) { $0 += ";\($1)" } }
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

extension MediaRange {
    /// Whether this range matches every media type that `other` matches.
    package func covers(_ other: MediaRange) -> Bool { [self].covers([other]) }

    /// Whether `other` requires every parameter that this range requires.
    fileprivate func asksNoMore(than other: MediaRange) -> Bool {
        parameters.allSatisfy { other.parameters.contains($0) }
    }
}

extension [MediaRange] {
    /// Whether these ranges together match every media type that `others` together match.
    ///
    /// The answer is exact: groups are replaced by their members, and every other kind matches either one type or an
    /// unlimited number of types, so a union covers a kind only if one of its ranges does.
    package func covers(_ others: [MediaRange]) -> Bool {
        others.allSatisfy { other in
            other.alternatives.allSatisfy { kind in
                contains { range in
                    range.asksNoMore(than: other) && range.alternatives.contains { $0.covers(kind) }
                }
            }
        }
    }
}

extension MediaRange.Kind {
    /// Whether this kind matches every type that `other` matches. Neither kind is a group.
    fileprivate func covers(_ other: MediaRange.Kind) -> Bool {
        if self == other { return true }
        switch (self, other) {
        case (.any, _): return true
        case (.topLevel(let type), .topLevelSuffix(let otherType, _)): return type == otherType
        case (.suffix(let suffix), .topLevelSuffix(_, let otherSuffix)): return suffix == otherSuffix
        case (_, .exact(let essence)): return MediaType(parsing: essence).map(matches) ?? false
        default: return false
        }
    }
}

/// The groups of media types that patterns write with an `@` (WHATWG MIME Sniffing, section 4.6).
package enum MediaTypeGroup: String, CaseIterable, Sendable {
    case json, xml, image, font, archive, html, javascript, scriptable
    case audioOrVideo = "audio-or-video"
    case zipBased = "zip-based"

    /// The kinds that together make up the group.
    package var members: [MediaRange.Kind] {
        switch self {
        case .json: [.suffix("json")] + exactly("application/json", "text/json")
        case .xml: [.suffix("xml")] + exactly("text/xml", "application/xml")
        case .image: [.topLevel("image")]
        case .audioOrVideo: [.topLevel("audio"), .topLevel("video")] + exactly("application/ogg")
        case .font:
            [.topLevel("font")]
                + exactly(
                    "application/font-cff", "application/font-off", "application/font-sfnt", "application/font-ttf",
                    "application/font-woff", "application/vnd.ms-fontobject", "application/vnd.ms-opentype")
        case .zipBased: [.suffix("zip")] + exactly("application/zip")
        case .archive: exactly("application/x-rar-compressed", "application/zip", "application/x-gzip")
        case .html: exactly("text/html")
        case .javascript:
            exactly(
                "application/ecmascript", "application/javascript", "application/x-ecmascript",
                "application/x-javascript", "text/ecmascript", "text/javascript", "text/javascript1.0",
                "text/javascript1.1", "text/javascript1.2", "text/javascript1.3", "text/javascript1.4",
                "text/javascript1.5", "text/jscript", "text/livescript", "text/x-ecmascript", "text/x-javascript")
        case .scriptable: Self.xml.members + Self.html.members + exactly("application/pdf")
        }
    }

    /// The types of the group for an Accept header; empty for all groups but `json` and `xml`.
    package var acceptTypes: [String] {
        switch self {
        case .json: ["application/json"]
        case .xml: ["application/xml", "text/xml"]
        default: []
        }
    }

    private func exactly(_ essences: String...) -> [MediaRange.Kind] {
        essences.map { .exact($0) }
    }
}
