import Patchbay
import PatchbayPlatform
import PatchbayTools

/// The call that `explain` is asked about: `--as` names the type, and `--elements` means a stream.
struct AskedCall {
    /// A type as in Swift, such as `User`, `JSON?`, `[User]` (also for `Array<User>`), or a name under MAKES of `routes`.
    struct TypeName: Equatable, Sendable {
        let text: String

        /// Nil if no type is written so, as `[User`. The limits keep the nesting small.
        init?(_ text: String) {
            let marks = text.filter { "?[<".contains($0) }
            guard !text.isEmpty, text.count <= 200, marks.count <= 8,
                text.allSatisfy({ $0.isLetter || $0.isNumber || "_.<>,:?[]() ".contains($0) }), Self.isClosed(text)
            else { return nil }
            self.text = Self.short(text)
        }

        /// The type with `[T]` for `Array<T>`, and `T?` for `Optional<T>`.
        private static func short(_ text: String) -> String {
            if let wrapped = inside(text, "Optional<", ">") ?? inside(text, "", "?") { return short(wrapped) + "?" }
            return element(of: text).map { "[\(short($0))]" } ?? text
        }

        /// The type of the elements of an array. A dictionary is like any other type.
        fileprivate static func element(of text: String) -> String? {
            guard let content = inside(text, "Array<", ">") ?? inside(text, "[", "]") else { return nil }
            return content.indices.contains { content[$0] == ":" && isClosed(String(content[..<$0])) } ? nil : content
        }

        /// The text between two marks that enclose all of it.
        private static func inside(_ text: String, _ start: String, _ end: String) -> String? {
            let inside = String(text.dropFirst(start.count).dropLast(end.count))
            return start + inside + end == text && isClosed(inside) ? inside : nil
        }

        /// Whether each bracket is closed by one of its kind.
        private static func isClosed(_ text: String) -> Bool {
            let ends: [Character: Character] = ["[": "]", "<": ">", "(": ")"]
            var open: [Character] = []
            for character in text {
                if let end = ends[character] { open.append(end) }
                if "]>)".contains(character), open.popLast() != character { return false }
            }
            return open.isEmpty
        }
    }

    /// `User (any Decodable)`, `elements of JSON`; nil for a call without a type.
    let name: String?
    let wanted: WantedValue
    /// The name in it that stands for any `Decodable`; nil for none.
    let unknown: String?

    init(_ type: TypeName?, inElements: Bool, _ registry: SerializerRegistry) {
        func wanted<Value: Sendable>(_ type: Value.Type) -> WantedValue {
            inElements ? .elements(of: type) : .type(type)
        }
        let prefix = inElements ? "elements of " : ""
        guard let type else {
            name = inElements ? prefix + "any type" : nil
            self.wanted = inElements ? .anyElements : .anything
            unknown = nil
            return
        }
        var parser = Parser(outputs: Capability.all(of: [registry]))
        self.wanted = wanted(parser.type(type.text))
        unknown = parser.unknown
        name = prefix + type.text + (unknown == nil ? "" : " (any Decodable)")
    }

    /// A text about this call, with the name of the type instead of its stand-in.
    func named(_ text: String) -> String {
        unknown.map { text.replacing("\(Capability.AnyDecodable.self)", with: $0) } ?? text
    }

    /// A member of a report, in which the reasons have the name of the type.
    func named(_ member: String, _ value: JSON) -> JSON {
        guard unknown != nil, member == "tried", let tried = value.array else { return value }
        return .array(tried.map { $0.mergePatched(by: ["reason": JSON(named($0["reason"]?.string ?? ""))]) })
    }

    private struct Parser {
        let outputs: [Capability]
        /// The name that was not known.
        var unknown: String?

        private static let known: [String: any Sendable.Type] = [
            "String": String.self, "text": String.self, "Data": Data.self, "bytes": Data.self, "[UInt8]": [UInt8].self,
            "ResponseBody": ResponseBody.self, "JSON": JSON.self, "Void": Void.self, "()": Void.self,
            "any Sendable": (any Sendable).self,
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
            if let element = TypeName.element(of: name) { return array(type(element)) }
            unknown = name
            return Capability.AnyDecodable.self
        }
    }
}
