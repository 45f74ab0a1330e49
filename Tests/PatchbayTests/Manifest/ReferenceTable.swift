import Patchbay
import PatchbayTools

/// The table of an object in the reference, as the keys of the loader would have it.
struct ReferenceTable {
    let object: ManifestObject

    /// Where the reference has the table of each object.
    static let headings = [
        "manifest": "The top level", "policy": "Policy", "empty": "Empty bodies", "limits": "Limits of a policy",
        "entry": "Entries",
        "match": "Match", "entryLimits": "Limits of an entry", "section": "Host sections",
        "jsonOptions": "`json`", "problemOptions": "`problem-json`", "xmlDocumentOptions": "`xml-document`",
        "xmlOptions": "`xml-parser`",
        "propertyListOptions": "`property-list`", "textOptions": "`text`",
        "csvRowsOptions": "`csv-rows`", "multipartPartsOptions": "`multipart-parts`",
        "imageOptions": "`image`", "formOptions": "`form`", "xssiOptions": "`xssi`",
        "serverSentEventOptions": "`server-sent-events`", "ndjsonOptions": "`ndjson`",
        "jsonSequenceOptions": "`json-seq`",
    ]

    /// Every object that has keys.
    static let all: [ManifestObject] = {
        let options = FactoryDescription.standard.map(\.options).filter { !$0.keys.isEmpty }
        let grammar: [ManifestObject] = [.manifest, .policy, .empty, .limits, .entry, .match, .entryLimits, .section]
        return (grammar + options).reduce(into: []) { all, object in
            if !all.contains(where: { $0.name == object.name }) { all.append(object) }
        }
    }()

    var text: String {
        let rows = object.keys.map { key in
            "| `\(key.name)` | \(Self.words(for: key.value)) | \(Self.standard(key)) | \(key.meaning) |"
        }
        return (["| key | value | default | meaning |", "|---|---|---|---|"] + rows).joined(separator: "\n")
    }

    private static func standard(_ key: ManifestKey) -> String {
        switch key.need {
        case .everyObject: "required"
        case .someManifest: "required in one of the manifests"
        case .nobody: key.standard.map { "`\($0)`" } ?? ""
        }
    }

    private static func words(for value: ManifestValue) -> String {
        switch value {
        case .bool: "`true` or `false`"
        case .text(let minimum): minimum > 0 ? "a non-empty string" : "a string"
        case .pattern(let pattern): one[pattern.name] ?? pattern.name
        case .character: "one ASCII character except a line end"
        case .factory: "a string"
        case .words(let words, let other):
            list(words.map { "`\"\($0)\"`" } + (other.map { [Self.words(for: $0)] } ?? []))
        case .integer(let range) where range.lowerBound == range.upperBound: "`\(range.lowerBound)`"
        case .integer(let range):
            "a whole number from \(range.lowerBound)"
                + (range.upperBound == .max ? "" : " to \(grouped(range.upperBound))")
        case .number(let above, let through): "a number above \(Int(above)), up to \(Int(through))"
        case .list(let element, let minimum, _, let isSet):
            "an array of " + many(element) + (minimum > 0 ? ", at least one" : "") + (isSet ? ", no duplicates" : "")
        case .object(let object) where headings[object.name] == nil:
            "an object with \(list(object.names.map { "`\($0)`" }, object.keys[0].need == .everyObject ? "and" : "or"))"
        case .object(let object): "an object: \(link(object))"
        case .map(let pattern, let value, _):
            "an object from \(one[pattern.name]?.dropFirst(2) ?? "") to \(place(value))"
        case .options: "an object: [options](#options)"
        }
    }

    private static let one = [
        "id": "an id", "fallback": "`\"raw\"`, `\"error\"` or an id", "status": "a status",
        "mediaRange": "a media range",
        "mediaType": "a media type", "essence": "a media type", "host": "a host pattern",
        "wildcard": "a wildcard, `*.` and a host",
    ]

    private static func many(_ value: ManifestValue) -> String {
        switch value {
        case .pattern(let pattern) where pattern.name == "status": "statuses"
        case .pattern(let pattern): "\(one[pattern.name]?.split(separator: " ", maxSplits: 1).last ?? "")s"
        case .object(let object): link(object)
        default: "strings"
        }
    }

    private static func place(_ value: ManifestValue) -> String {
        if case .object(let object) = value {
            link(object)
        } else {
            words(for: value).split(separator: " ", maxSplits: 1).last.map(String.init) ?? ""
        }
    }

    private static func link(_ object: ManifestObject) -> String {
        let heading = (headings[object.name] ?? "").lowercased()
        return "[\(heading)](#\(heading.replacing(" ", with: "-")))"
    }

    private static func list(_ words: [String], _ last: String = "or") -> String {
        guard words.count > 1, let end = words.last else { return words.first ?? "" }
        return words.dropLast().joined(separator: ", ") + " \(last) " + end
    }

    private static func grouped(_ number: Int) -> String {
        var text = ""
        for (index, digit) in String(number).reversed().enumerated() {
            if index > 0, index.isMultiple(of: 3) { text = "," + text }
            text = "\(digit)" + text
        }
        return text
    }
}
