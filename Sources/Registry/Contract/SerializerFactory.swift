import PatchbayJSON
import PatchbayPlatform

/// An error about the value of one option, whose place is then that of the option.
package protocol OptionError: Error {
    /// The key in `options`.
    var key: String { get }
}

/// A named recipe, registered in code, that makes a serializer from the options of a manifest entry.
public protocol SerializerFactory: Sendable {
    /// The `options` object of an entry. A key that this type does not read is refused when the manifest is loaded.
    associatedtype Options: Decodable & SendableMetatype

    /// The name that entries use in `"factory"`.
    static var name: String { get }

    /// Makes the serializer of one entry, or throws what is wrong with the options: `ManifestFailure` shows the whole text of the error,
    /// because a manifest is its author's own.
    ///
    /// Runs once for an entry, and for each try of a request that names the factory itself. A registry that is made from another one, by `overlaid(by:)`, `adding` or `replacing`, keeps the
    /// serializers of the entries whose factory, options and limit stay; a reload makes all of them again.
    func makeSerializer(_ options: Options, _ context: FactoryContext) throws -> any ResponseSerializer
}

/// What a factory is told beside its options: the entry that the serializer is for.
public struct FactoryContext: Sendable {
    /// The id of the entry in the manifest; `(request)` where there is no entry, because a request or code names the factory.
    public let entryID: String
    /// The largest body, in bytes, that the entry will be given.
    public let maximumBodyBytes: Int

    /// For tests of a factory of your own.
    public init(entryID: String, maximumBodyBytes: Int) {
        self.entryID = entryID
        self.maximumBodyBytes = maximumBodyBytes
    }
}

/// The options of a factory that has none: any key is refused.
public struct NoOptions: Decodable, Sendable {
    /// There are none.
    public init() {}
}

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

    struct Undefined: Error, SafeToPrint {
        var description: String { "the factory is only declared, there is no serializer" }
    }

    func serialize(_ body: ResponseBody, _ head: ResponseHead) throws -> Value { throw Undefined() }
}
