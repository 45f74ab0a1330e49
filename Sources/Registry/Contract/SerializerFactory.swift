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

    /// Makes the serializer of one entry, or throws what is wrong with the options.
    ///
    /// Runs once for an entry. A registry that is made from another one, by `overlaid(by:)`, `adding` or `replacing`, keeps the
    /// serializers of the entries whose factory, options and limit stay; a reload makes all of them again.
    func makeSerializer(_ options: Options, _ context: FactoryContext) throws -> any ResponseSerializer
}
