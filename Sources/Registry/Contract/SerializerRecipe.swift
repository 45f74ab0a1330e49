import PatchbayJSON

/// A factory with the type of its options erased: from the JSON of an entry's options to a serializer.
struct SerializerRecipe: Sendable {
    /// Why there is no serializer: the options do not decode, or the factory refused them.
    enum Failure: Error {
        case options(any Error)
        case factory(any Error)
    }

    let name: String
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

    func make(_ options: JSON, _ context: FactoryContext) -> Result<any ResponseSerializer, Failure> {
        body(options, context)
    }
}
