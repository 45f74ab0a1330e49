import PatchbayJSON
import PatchbayPlatform

/// The entry that a factory makes a serializer for.
package struct FactoryContext: Sendable {
    /// The id of the entry in the manifest; `(request)` if a request or code names the factory and there is no entry.
    package let entryID: String
    /// The largest body that the entry gets, in bytes.
    package let maximumBodyBytes: Int
}

/// The options of a factory without options: every key is refused.
package struct NoOptions: Decodable, Sendable {
    package init() {}
}

/// The factories that a manifest can name: closures that make serializers.
///
/// ```swift
/// var factories = SerializerFactories.standard
/// try factories.register("cbor") { CBOR() }
/// try factories.register("csv") { (options: CSVOptions) in try CSV(options) }
/// ```
///
/// A registered factory has no effect until an entry of a manifest names it. The conformances of its serializers decide
/// whether the entry reads, writes, or does both.
public struct SerializerFactories: Sendable {
    private(set) var recipes: [String: SerializerRecipe] = [:]
    /// What a build needs to have a factory, such as `the trait Images`, by the name of the factory.
    private(set) var needs: [String: String] = [:]

    /// No factories.
    public init() {}

    /// Every registered name, sorted.
    public var names: [String] { recipes.keys.inOrder() }

    /// Registers a factory without options: an entry with any option is refused.
    ///
    /// The closure runs once for each entry that names the factory, and at each attempt of a request that names it.
    /// `overlaid(by:)`, `adding` and `replacing` keep the serializers of unchanged entries. A reload runs the closure
    /// again for all entries.
    ///
    /// - Parameters:
    ///   - name: the name that entries write in `"factory"`.
    ///   - replacing: whether replacing an earlier factory of that name is allowed.
    ///   - make: makes the serializer of one entry.
    /// - Throws: `ManifestFailure` if the name is taken.
    public mutating func register(
        _ name: String, replacing: Bool = false, make: @escaping @Sendable () throws -> any Serializer
    ) throws(ManifestFailure) {
        try add(SerializerRecipe(name: name) { (_: NoOptions, _) in try make() }, replacing: replacing)
    }

    /// Registers a factory with options, which are decoded from the `"options"` of the entry. An unknown key is refused
    /// when the manifest is loaded.
    ///
    /// A factory refuses options with a `FormatFailure` or with a `DecodingError`. `ManifestFailure` shows the reason
    /// of the `FormatFailure`, and reports a `DecodingError` at its coding path within the options:
    ///
    /// ```swift
    /// try factories.register("csv") { (options: CSVOptions) in
    ///     guard options.delimiter.count == 1 else {
    ///         throw FormatFailure("csv", .range, "the delimiter is not one character")
    ///     }
    ///     return CSV(options)
    /// }
    /// ```
    ///
    /// The closure runs once for each entry that names the factory, and at each attempt of a request that names it.
    /// `overlaid(by:)`, `adding` and `replacing` keep the serializers of unchanged entries. A reload runs the closure
    /// again for all entries.
    ///
    /// - Parameters:
    ///   - name: the name that entries write in `"factory"`.
    ///   - replacing: whether replacing an earlier factory of that name is allowed.
    ///   - make: makes the serializer of one entry from its options.
    /// - Throws: `ManifestFailure` if the name is taken.
    public mutating func register<Options: Decodable & SendableMetatype>(
        _ name: String, replacing: Bool = false,
        make: @escaping @Sendable (Options) throws -> any Serializer
    ) throws(ManifestFailure) {
        try add(SerializerRecipe(name: name) { (options: Options, _) in try make(options) }, replacing: replacing)
    }

    /// Registers a factory that also gets the entry and the size limit: one of the built-in formats.
    /// - Parameter types: the media ranges that name the format, as in a manifest; the first is the format's own name.
    ///   Empty if only the entries name it, as for a factory of your own.
    package mutating func register<Options: Decodable & SendableMetatype>(
        _ name: String, types: [String],
        make: @escaping @Sendable (Options, FactoryContext) throws -> any Serializer
    ) throws(ManifestFailure) {
        try add(SerializerRecipe(name: name, types: types, make: make), replacing: false)
    }

    /// Declares a factory that is not in this process, for tools that check manifests: everything about its entries is
    /// checked except their options.
    package mutating func declare(_ name: String) throws(ManifestFailure) {
        try add(SerializerRecipe(declared: name), replacing: false)
    }

    /// Says what a build needs to have a factory: a trait of the package, or a product. Until the factory is registered,
    /// optional entries that name it are left out without a note.
    package mutating func expect(_ name: String, needing need: String) { needs[name] = need }

    /// The end of a sentence about a name that no factory has, and the nearest name. Without a near name, the sentence
    /// lists all factories.
    func unknown(_ name: String) -> (clause: String, suggestion: String?) {
        let suggestion = Spelling.nearest(to: name, in: names)
        if let need = needs[name] { return ("; it needs \(need)", suggestion) }
        let isListed = suggestion == nil && !recipes.isEmpty
        return (isListed ? "; the factories are \(names.joined(separator: ", "))" : "", suggestion)
    }

    /// The factories of both collections. If both have a factory of the same name, the factory of `other` is used.
    package func joined(with other: SerializerFactories) -> SerializerFactories {
        var joined = self
        joined.needs.merge(other.needs) { _, theirs in theirs }
        joined.recipes.merge(other.recipes) { _, theirs in theirs }
        return joined
    }

    private mutating func add(_ recipe: SerializerRecipe, replacing: Bool) throws(ManifestFailure) {
        guard replacing || recipes[recipe.name] == nil else {
            throw ManifestFailure(
                .duplicateFactory, file: "factories",
                "the factory \(Quoted(recipe.name)) is registered already; replacing: true replaces it")
        }
        recipes[recipe.name] = recipe
        needs[recipe.name] = nil
    }
}

extension SerializerFactories: CustomStringConvertible, CustomReflectable {
    /// Every registered name.
    public var description: String { names.joined(separator: ", ") }
    public var customMirror: Mirror { Mirror(described: self) }
}

/// A factory whose options have no static type: it makes a serializer from the JSON of the options.
struct SerializerRecipe: Sendable {
    /// The reason that there is no serializer: the options cannot be decoded, or the factory refused them.
    enum Failure: Error {
        case options(any Error)
        case factory(any Error)
    }

    let name: String
    /// Whether only the name of the factory is known, but neither its options nor the type of its values.
    var isDeclared = false
    /// The ranges that name the format.
    var types: [MediaRange] = []
    /// Decodes the options, and gives the closure that makes the serializer.
    private let body: @Sendable (JSON) throws -> (FactoryContext) throws -> any Serializer

    init<Options: Decodable & SendableMetatype>(
        name: String, types: [String] = [],
        make: @escaping @Sendable (Options, FactoryContext) throws -> any Serializer
    ) {
        self.name = name
        self.types = types.compactMap { try? MediaRange($0) }
        body = { json in
            let options = try json.decodeRefusingUnknownKeys(Options.self) { $0.hasPrefix("x-") }
            return { context in try make(options, context) }
        }
    }

    /// A factory that is not in this process. It accepts all options, and its serializer always fails.
    init(declared name: String) {
        self.name = name
        isDeclared = true
        body = { _ in { _ in DeclaredSerializer() } }
    }

    func make(_ options: JSON, _ context: FactoryContext) -> Result<any Serializer, Failure> {
        let make: (FactoryContext) throws -> any Serializer
        do { make = try body(options) } catch { return .failure(.options(error)) }
        return Result { try make(context) }.mapError(Failure.factory)
    }

    /// The failure of a part of the options; nil for none. The closure of a program does not run for options that no
    /// manifest has.
    func failure(of options: JSON, _ context: FactoryContext) -> Failure? {
        guard types.isEmpty else {
            if case .failure(let failure) = make(options, context) { return failure }
            return nil
        }
        do { _ = try body(options) } catch { return .options(error) }
        return nil
    }
}

/// The serializer of a declared factory.
struct DeclaredSerializer: ResponseSerializer, RequestSerializer {
    struct Value: Sendable {}

    func serialize(_ body: ResponseBody, _ head: ResponseHead) throws -> Value { throw Self.failure }
    func write(_ value: some Encodable, as type: MediaType) throws -> Data { throw Self.failure }

    private static var failure: FormatFailure {
        let reason = "the factory is only declared, there is no serializer"
        return FormatFailure("declared", .unsupported, reason, sentence: reason)
    }
}
