package import PatchbayJSON
import PatchbayRegistry

/// Writes the JSON Schema (2020-12) of manifests from the keys of the reader.
///
/// The schema describes one manifest without the layers around it: complete tables and overlays have one schema. Null,
/// which removes a value, is only refused in a complete table.
package struct ManifestSchema {
    private let factories: [FactoryDescription]

    /// - Parameter factories: the factories whose options the schema contains.
    package init(factories: [FactoryDescription]) { self.factories = factories }

    package var json: JSON {
        let description =
            "Which serializer takes which response: a whole table, or an overlay of the manifests under it, "
            + "in which null removes."
        let members: [(String, JSON)] = [
            ("$schema", "https://json-schema.org/draft/2020-12/schema"), ("title", "A manifest of Patchbay"),
            ("description", JSON(description)), ("type", "object"),
        ]
        let whole: [(String, JSON)] = [
            ("if", ["properties": ["inherit": ["const": false]], "required": ["inherit"]]),
            ("then", .object([Self.reference(to: "wholeManifest")])),
        ]
        return .object(members + constraints(of: .manifest) + whole + [("$defs", .object(definitions))])
    }

    // MARK: Definitions

    private static let objects: [ManifestObject] = [.policy, .empty, .limits, .entry, .match, .entryLimits, .section]
    private static let patterns: [ManifestPattern] = [
        .id, .fallback, .status, .mediaRange, .mediaType, .essence, .wildcard,
    ]

    /// The shared definitions. None of them names its type, so that a reference can also allow null.
    private var definitions: [(String, JSON)] {
        let options = factories.map(\.options).once(by: \.name)
        let objects = (Self.objects + options).map { ($0.name, JSON.object(constraints(of: $0))) }
        let patterns = Self.patterns.map { pattern -> (String, JSON) in
            (pattern.name, ["pattern": JSON(pattern.expression), "patternErrorMessage": JSON("write " + pattern.rule)])
        }
        let whole = ([.manifest] + Self.objects).map { (Self.wholeName($0), JSON.object(wholeConstraints(of: $0))) }
        return objects + patterns + whole
    }

    private static func reference(to name: String) -> (String, JSON) { ("$ref", JSON("#/$defs/" + name)) }

    // MARK: Objects

    private func constraints(of object: ManifestObject) -> [(String, JSON)] {
        let required = object.keys.filter { $0.need == .everyObject }.map { JSON($0.name) }
        var members: [(String, JSON)] = [
            ("properties", .object(object.keys.map { ($0.name, schema(of: $0)) })),
            ("patternProperties", ["^x-": true]), ("additionalProperties", false),
        ]
        if !required.isEmpty { members.append(("required", .array(required))) }
        switch object.name {
        case ManifestObject.entry.name: members.append(("allOf", .array(factories.map(optionsRule))))
        case ManifestObject.section.name: members += Self.useRule
        case ManifestObject.place.name:
            // The value can be a word instead of an object, and a word has no keys.
            members.append(("if", ["type": "object"]))
            members.append(("then", ["oneOf": .array(object.names.map { ["required": [JSON($0)]] })]))
        default: break
        }
        return members
    }

    private func schema(of key: ManifestKey) -> JSON {
        var members: [(String, JSON)] = [("description", JSON(key.meaning))]
        members += schema(of: key.value, orNull: key.isRemovable)
        if let standard = key.standard { members.append(("default", standard)) }
        return .object(members)
    }

    /// Nothing reads the options of an entry that is switched off.
    private func optionsRule(_ factory: FactoryDescription) -> JSON {
        [
            "if": [
                "properties": ["factory": ["const": JSON(factory.name)], "enabled": ["not": ["const": false]]],
                "required": ["factory"],
            ],
            "then": ["properties": ["options": .object([Self.reference(to: factory.options.name)])]],
        ]
    }

    /// `use` selects from the global list, and `"inherit": false` drops that list.
    private static let useRule: [(String, JSON)] = [
        ("if", ["properties": ["use": ["type": "array"]], "required": ["use"]]),
        ("then", ["properties": ["inherit": ["enum": [true, nil]]]]),
    ]

    // MARK: Values

    private func schema(of value: ManifestValue, orNull: Bool = false) -> [(String, JSON)] {
        [Self.typeMember(of: value, orNull: orNull)] + constraints(of: value, orNull: orNull)
    }

    private static func typeMember(of value: ManifestValue, orNull: Bool = false) -> (String, JSON) {
        let types = types(of: value) + (orNull ? ["null"] : [])
        return ("type", types.count == 1 ? JSON(types[0]) : .array(types.map { JSON($0) }))
    }

    private static func types(of value: ManifestValue) -> [String] {
        switch value {
        case .bool: ["boolean"]
        case .text, .character, .pattern, .factory: ["string"]
        case .words(_, let other): ["string"] + (other.map(types) ?? [])
        case .integer: ["integer"]
        case .number: ["number"]
        case .list: ["array"]
        case .object, .map, .options: ["object"]
        }
    }

    /// The rules besides the type, each for values of its own type only.
    private func constraints(of value: ManifestValue, orNull: Bool) -> [(String, JSON)] {
        switch value {
        case .bool, .options: return []
        case .text(let minimum): return minimum > 0 ? [("minLength", JSON(minimum))] : []
        case .character: return [("pattern", "^[\\u0001-\\u0009\\u000B\\u000C\\u000E-\\u007F]$")]
        case .pattern(let pattern): return [Self.reference(to: pattern.name)]
        case .factory: return [("examples", .array(factories.map { JSON($0.name) }))]
        case .words(let words, nil):
            return [("enum", .array(words.map { JSON($0) } + (orNull ? [.null] : [])))]
        case .words(let words, let other?):
            return [("pattern", JSON("^(?:\(words.joined(separator: "|")))$"))] + constraints(of: other, orNull: orNull)
        case .integer(let range) where range.lowerBound == range.upperBound: return [("const", JSON(range.lowerBound))]
        case .integer(let range):
            return [("minimum", JSON(range.lowerBound)), ("maximum", JSON(range.upperBound))]
        case .number(let above, let through): return [("exclusiveMinimum", JSON(above)), ("maximum", JSON(through))]
        case .list(let element, let minimum, let maximum, let isSet):
            var members: [(String, JSON)] = [("items", .object(schema(of: element)))]
            if minimum > 0 { members.append(("minItems", JSON(minimum))) }
            if let maximum { members.append(("maxItems", JSON(maximum))) }
            if isSet { members.append(("uniqueItems", true)) }
            return members
        case .object(let object):
            let isShared = Self.objects.contains { $0.name == object.name }
            return isShared ? [Self.reference(to: object.name)] : constraints(of: object)
        case .map(let pattern, let value, let maximum):
            var members: [(String, JSON)] = [
                ("patternProperties", .object([(pattern.expression, .object(schema(of: value, orNull: true)))])),
                ("additionalProperties", false),
            ]
            if let maximum { members.append(("maxProperties", JSON(maximum))) }
            return members
        }
    }

    // MARK: Whole tables

    private static func wholeName(_ object: ManifestObject) -> String {
        "whole" + object.name.prefix(1).uppercased() + object.name.dropFirst()
    }

    /// The additional rules of a complete table: such a table removes no value, and must have the keys that an overlay
    /// can leave to a lower layer.
    private func wholeConstraints(of object: ManifestObject) -> [(String, JSON)] {
        let removable = object.keys.filter { $0.isRemovable }
        var members: [(String, JSON)] = [
            ("properties", .object(removable.map { ($0.name, .object(wholeSchema(of: $0.value))) }))
        ]
        let needed = object.keys.filter { $0.need == .someManifest }.map { JSON($0.name) }
        if !needed.isEmpty { members.append(("required", .array(needed))) }
        return members
    }

    private func wholeSchema(of value: ManifestValue) -> [(String, JSON)] {
        let type = Self.typeMember(of: value)
        switch value {
        case .object(let object): return [type, Self.reference(to: Self.wholeName(object))]
        case .list(.object(let object), _, _, _):
            return [type, ("items", .object([Self.reference(to: Self.wholeName(object))]))]
        case .map(_, let value, _): return [type, ("additionalProperties", .object(wholeSchema(of: value)))]
        default: return [type]
        }
    }
}
