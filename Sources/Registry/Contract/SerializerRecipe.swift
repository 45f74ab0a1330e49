import PatchbayJSON

/// A factory with the type of its options erased: from the JSON of an entry's options to a serializer.
struct SerializerRecipe: Sendable {
    /// Why there is no serializer: the options do not decode, or the factory refused them.
    enum Failure: Error {
        case options(any Error)
        case factory(any Error)
    }

    let name: String
    /// Whether only the name is known, and nothing of the options nor of what the serializer makes.
    var isDeclared = false
    private let body: @Sendable (JSON, FactoryContext) -> Result<any ResponseSerializer, Failure>

    init<Options: Decodable & SendableMetatype>(
        name: String, make: @escaping @Sendable (Options, FactoryContext) throws -> any ResponseSerializer
    ) {
        self.name = name
        body = { json, context in
            let options: Options
            do {
                options = try json.decodeRefusingUnknownKeys(Options.self) { $0.hasPrefix("x-") }
            } catch {
                return .failure(.options(error))
            }
            return Result { try make(options, context) }.mapError(Failure.factory)
        }
    }

    /// A factory that is somewhere else: it takes any options, and what it makes serializes nothing.
    init(declared name: String) {
        self.name = name
        isDeclared = true
        body = { _, _ in .success(DeclaredSerializer()) }
    }

    func make(_ options: JSON, _ context: FactoryContext) -> Result<any ResponseSerializer, Failure> {
        body(options, context)
    }
}

/// Stands for the serializer of a factory of which the name alone is known.
struct DeclaredSerializer: ResponseSerializer {
    struct Value: Sendable {}

    struct Undefined: Error, CustomStringConvertible {
        var description: String { "the factory is only declared, there is no serializer" }
    }

    func serialize(_ body: ResponseBody, _ head: ResponseHead) throws -> Value { throw Undefined() }
}
