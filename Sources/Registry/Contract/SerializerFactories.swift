import PatchbayJSON

/// The named recipes that a manifest can draw on: filled in code, then handed to a registry.
///
/// Registering a factory activates nothing. An entry of the manifest does, and which entry serializes a response is decided
/// per response.
public struct SerializerFactories: Sendable {
    private var recipes: [String: SerializerRecipe] = [:]

    /// None yet.
    public init() {}

    /// Every registered name, sorted.
    public var names: [String] { recipes.keys.sorted() }

    /// Registers a recipe under a name.
    ///
    /// - Parameters:
    ///   - name: what entries write in `"factory"`.
    ///   - replacing: whether a recipe of the same name may be there already.
    ///   - make: makes the serializer of one entry from its options.
    public mutating func register<Options: Decodable & SendableMetatype, Serializer: ResponseSerializer>(
        _ name: String, replacing: Bool = false,
        make: @escaping @Sendable (Options, FactoryContext) throws -> Serializer
    ) throws(ManifestFailure) {
        try add(SerializerRecipe(name: name, make: make), replacing: replacing)
    }

    /// Registers a factory under the name its type gives.
    public mutating func register<Factory: SerializerFactory>(
        _ factory: Factory, replacing: Bool = false
    ) throws(ManifestFailure) {
        let recipe = SerializerRecipe(name: Factory.name) { (options: Factory.Options, context) in
            try factory.makeSerializer(options, context)
        }
        try add(recipe, replacing: replacing)
    }

    /// Says that there is a factory of a name somewhere else, for a tool that judges manifests: of its entries all is judged but
    /// their options.
    package mutating func declare(_ name: String) throws(ManifestFailure) {
        try add(SerializerRecipe(declared: name), replacing: false)
    }

    /// These factories and the others; where both have a name, the other's recipe counts.
    func joined(with other: SerializerFactories) -> SerializerFactories {
        var joined = self
        joined.recipes.merge(other.recipes) { _, theirs in theirs }
        return joined
    }

    func recipe(named name: String) -> SerializerRecipe? { recipes[name] }

    private mutating func add(_ recipe: SerializerRecipe, replacing: Bool) throws(ManifestFailure) {
        guard replacing || recipes[recipe.name] == nil else {
            throw ManifestFailure(
                .duplicateFactory, file: "factories",
                "the factory \(Quoted(recipe.name)) is registered already; replacing: true replaces it")
        }
        recipes[recipe.name] = recipe
    }
}

extension SerializerFactories: CustomStringConvertible, CustomReflectable {
    /// Every registered name.
    public var description: String { names.joined(separator: ", ") }
    public var customMirror: Mirror { Mirror(described: self) }
}
