// Reads the texts of Plugins.json. `ManifestKeys` names the keys. A `ManifestLayer` is one manifest, `EffectiveManifest`
// merges the layers and remembers the layer of each key, and the types in Table use the result. `ManifestReader` reads
// both: a layer for its faults, and merged objects for their values.

import PatchbayJSON

/// Reads values from the objects of a manifest, and collects the faults instead of stopping at the first.
///
/// Every reading method returns nil for a value that is absent, null or faulty; only a faulty value is reported.
package struct ManifestReader {
    struct Members {
        let pointer: String
        fileprivate let values: [String: JSON]

        func pointer(to key: String) -> String { pointer + "/" + JSONPointer.escaped(key) }

        func has(_ key: String) -> Bool { values[key].map { !$0.isNull } ?? false }
    }

    /// Whether null is allowed: in an overlay it removes the value of an earlier manifest.
    let isOverlay: Bool
    private let file: String
    /// The faults so far, without lines.
    var faults: [ManifestFailure.Issue] = []

    init(file: String, isOverlay: Bool) {
        self.file = file
        self.isOverlay = isOverlay
    }

    /// A reader of merged objects, whose faults their layers have reported.
    static var ofMerged: ManifestReader { ManifestReader(file: "", isOverlay: true) }

    /// - Parameter suggestion: the nearest valid spelling, which is only searched for the faults that get a line.
    mutating func report(
        _ code: ManifestFailure.Issue.Code, at pointer: String, _ message: String,
        suggestion: @autoclosure () -> String? = nil
    ) {
        let nearest = faults.count < ManifestLayer.maximumLines ? suggestion() : nil
        faults.append(.init(code, file: file, pointer: pointer, message, suggestion: nearest))
    }

    /// Reports a value that is not of the expected kind.
    mutating func expect(_ isExpected: Bool, _ kind: String, _ json: JSON, at pointer: String) -> Bool {
        if !isExpected { report(.wrongType, at: pointer, "expected \(kind), found \(Self.article(json.kind))") }
        return isExpected
    }

    /// The content of a value, which is reported if it has none of the expected kind.
    mutating func expect<Value>(_ value: Value?, _ kind: String, _ json: JSON, at pointer: String) -> Value? {
        expect(value != nil, kind, json, at: pointer) ? value : nil
    }

    /// The members of an object. Its allowed keys are `keys` and all keys that start with `x-`; other keys are
    /// reported.
    mutating func members(of json: JSON, at pointer: String, allowing keys: [String]) -> Members? {
        guard let object = expect(json.object, "an object", json, at: pointer) else { return nil }
        var values: [String: JSON] = [:]
        for (key, value) in object {
            if keys.contains(key) {
                values[key] = value
            } else if !key.hasPrefix("x-") {
                report(
                    .unknownKey, at: pointer + "/" + JSONPointer.escaped(key),
                    "the key \(Quoted(key)) is not known here; "
                        + (ManifestKeys.advice(key) ?? "known are \(keys.joined(separator: ", "))"),
                    suggestion: Spelling.nearest(to: key, in: keys))
            }
        }
        return Members(pointer: pointer, values: values)
    }

    mutating func value(_ key: String, of members: Members) -> JSON? {
        guard let value = members.values[key] else { return nil }
        guard value.isNull else { return value }
        if !isOverlay {
            report(
                .wrongType, at: members.pointer(to: key),
                "null removes the \(Quoted(key)) of an earlier manifest, and there is none under this one; leave the key out"
            )
        }
        return nil
    }

    /// Whether the object has a member that acts only in its own manifest. Null is a fault, because earlier manifests
    /// leave nothing that it could remove.
    mutating func acts(_ key: String, in members: Members) -> Bool {
        guard let value = members.values[key] else { return false }
        if value.isNull {
            report(
                .wrongType, at: members.pointer(to: key),
                "\"\(key)\" acts in the manifest that says it, and there is none of an earlier one that null could remove"
            )
        }
        return !value.isNull
    }

    /// The members of a nested object.
    mutating func members(_ key: String, of members: Members, allowing keys: [String]) -> Members? {
        value(key, of: members).flatMap { self.members(of: $0, at: members.pointer(to: key), allowing: keys) }
    }

    mutating func string(_ key: String, of members: Members) -> String? {
        guard let value = value(key, of: members) else { return nil }
        return text(value, at: members.pointer(to: key))
    }

    mutating func bool(_ key: String, of members: Members) -> Bool? {
        guard let value = value(key, of: members) else { return nil }
        return expect(value.bool, "true or false", value, at: members.pointer(to: key))
    }

    /// A number of bytes: a whole number from 0.
    mutating func byteCount(_ key: String, of members: Members) -> Int? {
        guard let value = value(key, of: members) else { return nil }
        let pointer = members.pointer(to: key)
        guard expect(value.kind == .number, "a number of bytes, such as 1048576", value, at: pointer) else {
            return nil
        }
        guard let count = value.int, count >= 0 else {
            report(.invalidValue, at: pointer, "expected a whole number of bytes from 0 to \(Int.max)")
            return nil
        }
        return count
    }

    mutating func choice<Choice: RawRepresentable & CaseIterable>(
        _ key: String, of members: Members, as type: Choice.Type
    ) -> Choice? where Choice.RawValue == String {
        guard let word = string(key, of: members) else { return nil }
        if let choice = Choice(rawValue: word) { return choice }
        let valid = Choice.allCases.map(\.rawValue)
        let words =
            valid.count == 1
            ? "\(Quoted(valid[0])), and nothing else is known here" : "one of \(QuotedList(valid, quoted: false))"
        report(
            .invalidValue, at: members.pointer(to: key),
            "\(Quoted(word)) is not \(words)",
            suggestion: Spelling.nearest(to: word, in: valid))
        return nil
    }

    /// The elements of a list, each with its pointer. An empty list is a fault, unless `orEmpty` is true.
    mutating func list(_ key: String, of members: Members, orEmpty: Bool = false) -> [(value: JSON, pointer: String)]? {
        guard let value = value(key, of: members) else { return nil }
        let pointer = members.pointer(to: key)
        let kind = value.string.map { "an array, such as [\(Quoted($0))]" } ?? "an array"
        guard let elements = expect(value.array, kind, value, at: pointer) else { return nil }
        guard orEmpty || !elements.isEmpty else {
            report(.emptyList, at: pointer, "the list is empty, so nothing would match; leave the key out for no limit")
            return nil
        }
        return elements.enumerated().map { ($1, "\(pointer)/\($0)") }
    }

    mutating func strings(_ key: String, of members: Members, orEmpty: Bool = false) -> [(
        text: String, pointer: String
    )]? {
        guard let list = list(key, of: members, orEmpty: orEmpty) else { return nil }
        var strings: [(text: String, pointer: String)] = []
        for (value, pointer) in list {
            if let text = text(value, at: pointer) { strings.append((text, pointer)) }
        }
        return strings
    }

    mutating func text(_ value: JSON, at pointer: String) -> String? {
        expect(value.string, "a string", value, at: pointer)
    }

    static func article(_ kind: JSON.Kind) -> String {
        switch kind {
        case .null: "null"
        case .bool: "true or false"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}
