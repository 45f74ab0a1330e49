import PatchbayPlatform

extension JSON {
    /// The keys of a document that its type did not request.
    package struct UnknownKeysFailure: Error, Sendable, Hashable, CustomStringConvertible {
        /// An unknown key.
        package struct Key: Sendable, Hashable {
            package let key: String
            package let pointer: String
            /// The keys that the type requested in the same object, sorted; with `snakeCase` in that spelling.
            package let known: [String]
        }

        /// The unknown keys in document order, outer objects before inner ones. Never empty.
        package let keys: [Key]

        package var description: String { keys.map(\.description).joined(separator: "\n") }
    }
}

extension JSON.UnknownKeysFailure: FormatFault {
    package var formatFailure: FormatFailure { FormatFailure(self, "json", .unsupported, description) }
}

extension JSON.UnknownKeysFailure.Key: CustomStringConvertible {
    /// `/user/nmae: unknown key (known here: name)`
    package var description: String {
        let known = known.isEmpty ? "no key is known here" : "known here: \(known.joined(separator: ", "))"
        return "\(pointer): unknown key (\(known))"
    }
}

/// Records the keys that a type requests while it is decoded, by object.
final class KeyAudit {
    private let tape: Tape
    /// The words of the values that a type decoded.
    private var visited: Set<Int> = []
    /// The requested keys, by the word of the object, in the spelling of the coding keys.
    private var asked: [Int: Set<String>] = [:]
    /// The words of the values that were decoded as a whole.
    private var whole: Set<Int> = []

    init(of tape: Tape) { self.tape = tape }

    func visit(_ json: JSON) {
        if json.tape === tape { visited.insert(json.index) }
    }

    func ask(_ key: String, of json: JSON) {
        if json.tape === tape { asked[json.index, default: []].insert(key) }
    }

    func takeWhole(_ json: JSON) {
        if json.tape === tape { whole.insert(json.index) }
    }

    /// The keys at and below a word that no type requested, in document order.
    func unknownKeys(from root: Int, _ strategy: JSON.CodingOptions.Keys) -> [JSON.UnknownKeysFailure.Key] {
        var unknown: [JSON.UnknownKeysFailure.Key] = []
        var pending = [(value: JSON(tape, at: root), pointer: "")]
        while let (value, pointer) = pending.popLast() {
            if whole.contains(value.index) { continue }
            if let elements = value.array {
                pending += elements.enumerated().reversed().map { ($1, "\(pointer)/\($0)") }
            }
            guard let members = value.object, visited.contains(value.index) else { continue }
            let known = asked[value.index] ?? []
            let names = known.map { strategy == .snakeCase ? SnakeCase.snakeCased($0) : $0 }.inOrder()
            var below: [(JSON, String)] = []
            for (key, member) in members {
                let place = "\(pointer)/\(JSONPointer.escaped(key))"
                if known.contains(strategy == .snakeCase ? SnakeCase.camelCased(key) : key) {
                    below.append((member, place))
                } else {
                    unknown.append(JSON.UnknownKeysFailure.Key(key: key, pointer: place, known: names))
                }
            }
            pending += below.reversed()
        }
        return unknown
    }
}
