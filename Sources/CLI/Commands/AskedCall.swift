import Patchbay
import PatchbayPlatform
import PatchbayTools

/// The call that `explain` is asked about: `--as` names the type, and `--elements` means a stream.
struct AskedCall {
    /// A type as in Swift, such as `User`, `[User]`, `JSON?`, or as `routes` prints it under MAKES.
    struct TypeName: Equatable, Sendable {
        let text: String

        /// Nil if no type is written so. The limits keep the nesting small.
        init?(_ text: String) {
            let marks = text.filter { "?[<".contains($0) }
            guard !text.isEmpty, text.count <= 200, marks.count <= 8,
                text.allSatisfy({ $0.isLetter || $0.isNumber || "_.<>,:?[]() ".contains($0) })
            else { return nil }
            self.text = text
        }
    }

    /// `User (any Decodable)`, `elements of JSON`; nil for a call without a type.
    let name: String?
    let wanted: WantedValue

    init(_ type: TypeName?, inElements: Bool, _ registry: SerializerRegistry) {
        func wanted<Value: Sendable>(_ type: Value.Type) -> WantedValue {
            inElements ? .elements(of: type) : .type(type)
        }
        let prefix = inElements ? "elements of " : ""
        guard let type else {
            name = inElements ? prefix + "any type" : nil
            self.wanted = inElements ? .anyElements : .anything
            return
        }
        var parser = Parser(outputs: Capability.all(of: [registry]))
        self.wanted = wanted(parser.type(type.text))
        name = prefix + type.text + (parser.isAny ? " (any Decodable)" : "")
    }

    private struct Parser {
        let outputs: [Capability]
        /// Whether a name was not known.
        var isAny = false

        private static let known: [String: any Sendable.Type] = [
            "String": String.self, "text": String.self, "Data": Data.self, "bytes": Data.self, "[UInt8]": [UInt8].self,
            "JSON": JSON.self, "Void": Void.self, "()": Void.self, "any Sendable": (any Sendable).self,
        ]

        mutating func type(_ name: String) -> any Sendable.Type {
            func optional<Value: Sendable>(_: Value.Type) -> any Sendable.Type { Value?.self }
            func array<Value: Sendable>(_: Value.Type) -> any Sendable.Type { [Value].self }
            if let known = Self.known[name] { return known }
            if let output = outputs.first(where: { $0.name == name && $0.wanted.kind == .value }),
                let type = output.wanted.type
            {
                return type
            }
            if name.hasSuffix("?"), name.count > 1 { return optional(type(String(name.dropLast()))) }
            // A dictionary is like any other type.
            if name.hasPrefix("["), name.hasSuffix("]"), name.hasPrefix("[[") || !name.contains(":") {
                return array(type(String(name.dropFirst().dropLast())))
            }
            isAny = true
            return Capability.AnyDecodable.self
        }
    }
}
