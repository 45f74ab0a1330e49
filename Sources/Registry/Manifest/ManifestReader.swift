// Reads the texts of Plugins.json. `ManifestKeys` names the keys. `ManifestReader` reads one manifest and reports all its
// faults together. A `ManifestLayer` is one manifest with its values, `EffectiveManifest` merges the layers, and the types
// in Table use the result.

import PatchbayJSON

/// Reads one manifest into values, and collects its faults instead of stopping at the first.
///
/// Every reading method returns nil for a value that is absent, null or faulty; only a faulty value is reported.
package struct ManifestReader {
    struct Fault {
        let code: ManifestFailure.Issue.Code
        let pointer: String
        let message: String
        let suggestion: String?
    }

    struct Members {
        let pointer: String
        fileprivate let values: [String: JSON]

        func pointer(to key: String) -> String { pointer + "/" + JSONPointer.escaped(key) }

        func has(_ key: String) -> Bool { values[key].map { !$0.isNull } ?? false }

        /// Whether the key is present, even with null.
        func says(_ key: String) -> Bool { values[key] != nil }
    }

    /// Whether null is allowed: in an overlay it removes the value of an earlier manifest.
    let isOverlay: Bool
    private(set) var faults: [Fault] = []
    var values = ManifestValues()

    init(isOverlay: Bool) { self.isOverlay = isOverlay }

    mutating func report(
        _ code: ManifestFailure.Issue.Code, at pointer: String, _ message: String, suggestion: String? = nil
    ) {
        faults.append(Fault(code: code, pointer: pointer, message: message, suggestion: suggestion))
    }

    /// The members of an object. Its allowed keys are `keys` and all keys that start with `x-`; other keys are
    /// reported.
    mutating func members(of json: JSON, at pointer: String, allowing keys: [String]) -> Members? {
        guard let object = json.object else {
            report(.wrongType, at: pointer, "expected an object, found \(Self.article(json.kind))")
            return nil
        }
        var values: [String: JSON] = [:]
        for (key, value) in object {
            if keys.contains(key) {
                values[key] = value
            } else if !key.hasPrefix("x-") {
                report(
                    .unknownKey, at: pointer + "/" + JSONPointer.escaped(key),
                    "the key \(Quoted(key)) is not known here; known are \(QuotedList(keys, quoted: false))",
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
                "null removes what an earlier manifest says, and there is none under this one")
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

    /// Reads a member into a patch, if the object has it.
    mutating func set<Value: Sendable, Member: Sendable>(
        _ member: any WritableKeyPath<Value, Member> & Sendable, _ key: String, of members: Members,
        in patch: inout Patch<Value>, _ read: (inout ManifestReader, String, Members) -> Member?
    ) {
        guard members.says(key) else { return }
        guard let value = read(&self, key, members) else { return patch.set(key, nil) }
        patch.set(key) { $0[keyPath: member] = value }
    }

    /// The members of a nested object. If it is present and invalid or null, the patch removes all its keys.
    mutating func members<Value: Sendable>(
        _ key: String, of members: Members, allowing keys: [String], in patch: inout Patch<Value>
    ) -> Members? {
        guard members.says(key) else { return nil }
        if let json = value(key, of: members),
            let inner = self.members(of: json, at: members.pointer(to: key), allowing: keys)
        {
            return inner
        }
        for name in keys { patch.set(name, nil) }
        return nil
    }

    mutating func string(_ key: String, of members: Members) -> String? {
        guard let value = value(key, of: members) else { return nil }
        return text(value, at: members.pointer(to: key))
    }

    mutating func bool(_ key: String, of members: Members) -> Bool? {
        guard let value = value(key, of: members) else { return nil }
        if value.bool == nil {
            report(
                .wrongType, at: members.pointer(to: key), "expected true or false, found \(Self.article(value.kind))")
        }
        return value.bool
    }

    /// A number of bytes: a whole number from 0.
    mutating func byteCount(_ key: String, of members: Members) -> Int? {
        guard let value = value(key, of: members) else { return nil }
        let pointer = members.pointer(to: key)
        guard value.kind == .number else {
            report(.wrongType, at: pointer, "expected a number of bytes, found \(Self.article(value.kind))")
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
        guard let elements = value.array else {
            report(.wrongType, at: pointer, "expected an array, found \(Self.article(value.kind))")
            return nil
        }
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
        if value.string == nil {
            report(.wrongType, at: pointer, "expected a string, found \(Self.article(value.kind))")
        }
        return value.string
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
