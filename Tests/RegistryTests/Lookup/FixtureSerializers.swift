import PatchbayJSON
import PatchbayRegistry

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A failure with a sentence of its own.
struct Broken: Error, CustomStringConvertible {
    var description = "it is broken"
}

/// Text as it is, marked with a name so that a test sees who made it.
struct TextFixture: ResponseSerializer {
    struct Options: Decodable, Sendable {
        var prefix: String?
    }

    var prefix = ""

    func serialize(_ body: ResponseBody, _ head: ResponseHead) throws -> String {
        prefix + String(decoding: body.data, as: UTF8.self)
    }
}

/// JSON, and any `Decodable`.
struct JSONFixture: DecodingSerializer {
    struct Options: Decodable, Sendable {
        enum Keys: String, Decodable { case asIs, snakeCase }
        var keys: Keys?
        var depth: Int?
    }

    func serialize(_ body: ResponseBody, _ head: ResponseHead) throws -> JSON {
        try JSON(parsing: body.data)
    }

    func decode<Value: Decodable & Sendable>(
        _ type: Value.Type, from body: ResponseBody, _ head: ResponseHead
    ) throws -> Value {
        try JSON(parsing: body.data).decode(type)
    }
}

/// The number of bytes; takes none, too.
struct CountFixture: ResponseSerializer {
    var acceptsEmptyBody: Bool { true }
    func serialize(_ body: ResponseBody, _ head: ResponseHead) throws -> Int { body.count }
}

/// Throws; its output is JSON, as that of `JSONFixture`.
struct BrokenFixture: ResponseSerializer {
    func serialize(_ body: ResponseBody, _ head: ResponseHead) throws -> JSON { throw Broken() }
}

/// Takes no bytes, too, and throws.
struct BrittleFixture: ResponseSerializer {
    var acceptsEmptyBody: Bool { true }
    func serialize(_ body: ResponseBody, _ head: ResponseHead) throws -> JSON { throw Broken() }
}

struct CancelledFixture: ResponseSerializer {
    func serialize(_ body: ResponseBody, _ head: ResponseHead) throws -> JSON { throw CancellationError() }
}

/// Text, but only of responses with a field `X-Take`.
struct PickyFixture: ResponseSerializer {
    func declineReason(_ head: ResponseHead) -> String? { head.fields["X-Take"] == nil ? "there is no X-Take" : nil }
    func serialize(_ body: ResponseBody, _ head: ResponseHead) throws -> String { "picky" }
}

extension SerializerFactories {
    /// One factory for each fixture.
    static func fixtures() throws -> SerializerFactories {
        var factories = SerializerFactories()
        try factories.register("text") { (options: TextFixture.Options) in TextFixture(prefix: options.prefix ?? "")
        }
        try factories.register("json") { (_: JSONFixture.Options) in JSONFixture() }
        try factories.register("count") { CountFixture() }
        try factories.register("broken") { BrokenFixture() }
        try factories.register("brittle") { BrittleFixture() }
        try factories.register("cancelled") { CancelledFixture() }
        try factories.register("picky") { PickyFixture() }
        try factories.register("refusing") { throw Broken() }
        try factories.register("context", types: []) { (_: NoOptions, context) in
            TextFixture(prefix: "\(context.entryID) \(context.maximumBodyBytes) ")
        }
        return factories
    }
}

extension SerializerRegistry {
    /// The registry of one manifest, `Plugins.json`, and overlays, `overlay1.json` and so on.
    static func fixture(_ manifest: String, overlays: [String] = []) throws -> SerializerRegistry {
        let sources =
            [.text(manifest, name: "Plugins.json")]
            + overlays.enumerated().map { ManifestSource.text($1, name: "overlay\($0 + 1).json") }
        return try SerializerRegistry(sources: sources, factories: .fixtures())
    }

    /// The registry of entries, written as the elements of `plugins`, and whatever else the manifest has.
    static func entries(_ entries: String, _ more: String = "") throws -> SerializerRegistry {
        try fixture(#"{ "manifestVersion": 1, "plugins": [\#(entries)] \#(more.isEmpty ? "" : ", " + more) }"#)
    }
}

extension ResponseBody {
    init(text: String) { self.init(Array(text.utf8)) }
}
