import PatchbayJSON
import PatchbayRegistry

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Writes its name, whatever the value is.
struct WriterFixture: RequestSerializer {
    var name = "write"

    func write(_ value: some Encodable, as type: MediaType) throws -> Data { Data(name.utf8) }
}

/// The same, as a type of its own.
struct ClerkFixture: RequestSerializer {
    func write(_ value: some Encodable, as type: MediaType) throws -> Data { Data("clerk".utf8) }
}

/// Declines numbers.
struct ChoosyFixture: RequestSerializer {
    func declineReason(writing value: some Encodable, as type: MediaType) -> String? {
        value is Int ? "it takes no numbers" : nil
    }

    func write(_ value: some Encodable, as type: MediaType) throws -> Data { Data("choosy".utf8) }
}

/// Writes words one by one, and lists of them.
struct WordWriterFixture: ElementWritingSerializer {
    func declineReason(writing value: some Encodable, as type: MediaType) -> String? {
        value is [String] ? nil : "it writes lists of words"
    }

    func write(_ value: some Encodable, as type: MediaType) throws -> Data { Data("words".utf8) }

    func writeElement(_ value: some Encodable, at position: Int, as type: MediaType) throws -> Data {
        Data("word ".utf8)
    }
}

/// Reads JSON, and writes its name.
struct TwoSidedFixture: DecodingSerializer, RequestSerializer {
    var name = "both"

    func serialize(_ body: ResponseBody, _ head: ResponseHead) throws -> JSON { try JSON(parsing: body.data) }

    func decode<Value: Decodable & Sendable>(
        _ type: Value.Type, from body: ResponseBody, _ head: ResponseHead
    ) throws -> Value {
        try JSON(parsing: body.data).decode(type)
    }

    func write(_ value: some Encodable, as type: MediaType) throws -> Data { Data(name.utf8) }
}

/// Reads nothing and writes nothing.
struct SidelessFixture: Serializer {}

extension SerializerFactories {
    /// One factory for each of these, `read`, which only reads, and `sure`, which declines nothing.
    static func sided() throws -> SerializerFactories {
        var factories = SerializerFactories()
        try factories.register("read") { TextFixture() }
        try factories.register("write") { WriterFixture() }
        try factories.register("clerk") { ClerkFixture() }
        try factories.register("choosy") { ChoosyFixture() }
        try factories.register("words") { WordWriterFixture() }
        try factories.register("sure") { SureWriter() }
        try factories.register("both") { TwoSidedFixture() }
        try factories.register("sideless") { SidelessFixture() }
        return factories
    }
}

extension SerializerRegistry {
    /// The registry of manifests with these factories: `Plugins.json`, `overlay1.json` and so on.
    static func sided(_ manifests: String...) throws -> SerializerRegistry {
        let sources = manifests.enumerated().map { number, text in
            ManifestSource.text(text, name: number == 0 ? "Plugins.json" : "overlay\(number).json")
        }
        return try SerializerRegistry(sources: sources, factories: .sided())
    }

    /// The bytes that are written of a number, as text; nil where no entry writes it.
    func written(_ type: MediaType = "application/json", for host: String? = nil) throws -> String? {
        let lookup = writer(of: .value(1), as: type, for: host.flatMap { CanonicalHost($0) })
        return try lookup.writer.map { String(decoding: try $0.serializer.write(1, as: type), as: UTF8.self) }
    }
}
