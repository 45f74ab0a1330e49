import Foundation
import PatchbayJSON
import PatchbayManager
import PatchbayPlugins
import PatchbayRegistry
import PatchbayTesting

/// A registry of two serializers of the tests' own, which read; what writes is built in.
enum TestRegistry {
    struct WordsSerializer: ResponseSerializer {
        func serialize(_ body: ResponseBody, _ head: ResponseHead) throws -> [String] {
            let text = String(decoding: body.data, as: UTF8.self)
            guard !text.contains("!") else { throw Shout() }
            return text.split(separator: " ").map(String.init)
        }
    }

    struct TestJSONSerializer: DecodingSerializer, RequestSerializer {
        func serialize(_ body: ResponseBody, _ head: ResponseHead) throws -> JSON { try JSON(parsing: body.data) }

        func decode<Value: Decodable & Sendable>(
            _ type: Value.Type, from body: ResponseBody, _ head: ResponseHead
        ) throws -> Value {
            try JSON(parsing: body.data).decode(type)
        }

        func write(_ value: some Encodable, as type: MediaType) throws -> Data {
            try JSONSerializer().write(value, as: type)
        }
    }

    struct Shout: Error, Equatable {}

    static let factories: SerializerFactories = {
        var factories = SerializerFactories.standard
        do {
            try factories.register("words") { WordsSerializer() }
            try factories.register("json", replacing: true) { TestJSONSerializer() }
        } catch {
            fatalError("\(error)")
        }
        return factories
    }()

    static let plugins = """
        [{ "id": "json", "factory": "json", "match": { "types": ["@json"] } },
         { "id": "words", "factory": "words", "match": { "types": ["text/words"] }, "limits": { "maxBodyBytes": 8 } }]
        """

    /// With entries behind them that write the other formats, and read nothing.
    static let formats = """
        [{ "id": "json", "factory": "json", "match": { "types": ["@json"] } },
         { "id": "words", "factory": "words", "match": { "types": ["text/words"] } },
         { "id": "form", "factory": "form", "match": { "types": ["application/x-www-form-urlencoded"] }, "reads": false },
         { "id": "plist", "factory": "property-list", "match": { "types": ["application/x-plist"] }, "reads": false },
         { "id": "ndjson", "factory": "ndjson", "match": { "types": ["application/x-ndjson"] }, "reads": false },
         { "id": "json-seq", "factory": "json-seq", "match": { "types": ["application/json-seq"] }, "reads": false }]
        """

    static func make(_ plugins: String = plugins, policy: String = "{}", hosts: String = "{}") throws
        -> SerializerRegistry
    {
        let text = #"{ "manifestVersion": 1, "policy": \#(policy), "plugins": \#(plugins), "hosts": \#(hosts) }"#
        return try SerializerRegistry(sources: [.text(text, name: "test.json")], factories: factories)
    }
}

extension StubReply {
    static func json(_ text: String, status: Int = 200) -> StubReply {
        StubReply(status: status, fields: ["Content-Type": "application/json"], body: text)
    }

    static func words(_ text: String, status: Int = 200) -> StubReply {
        StubReply(status: status, fields: ["Content-Type": "text/words"], body: text)
    }

    static func redirect(_ status: Int, to location: String) -> StubReply {
        StubReply(status: status, fields: ["Location": location])
    }
}

/// A manager over a stub.
func stubManager(
    _ registry: SerializerRegistry? = nil, base: String? = "http://origin.test/",
    configuration: SessionConfiguration = SessionConfiguration(),
    _ reply: @escaping @Sendable (TransportRequest) async throws -> StubReply
) throws -> (SessionManager, StubTransport) {
    let stub = StubTransport(reply)
    let manager = SessionManager(
        baseURL: base.flatMap { URL(string: $0) }, registry: try registry ?? TestRegistry.make(), transport: stub,
        configuration: configuration)
    return (manager, stub)
}
