import Foundation
import PatchbayManager
import PatchbayPlugins
import PatchbayRegistry
import TestSupport

/// Writes its name, the media type and the value as JSON, and notes each time that it is asked.
struct MarkedWriter: RequestSerializer {
    let name: String
    let log: Shared<[String]>

    func declineReason(writing value: some Encodable, as type: MediaType) -> String? {
        value is Declined ? "\(name) wants no such value" : nil
    }

    func write(_ value: some Encodable, as type: MediaType) throws -> Data {
        log.withLock { $0.append("\(name) \(type)") }
        return Data("\(name) \(type) ".utf8) + (try JSONSerializer().write(value, as: .json))
    }
}

/// A value that each `MarkedWriter` declines.
struct Declined: Encodable, Sendable {}

/// A value that cannot encode itself.
struct Unencodable: Encodable, Sendable {
    enum Keys: CodingKey { case first, second }
    struct Fault: Error {}

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Keys.self)
        try container.encode(1, forKey: .first)
        throw Fault()
    }
}

extension MarkedWriter {
    /// A registry whose factories `a`, `b` and `c` make writers of these names.
    static func registry(
        _ plugins: String, policy: String = "{}", hosts: String = "{}", _ log: Shared<[String]> = Shared([])
    ) throws -> SerializerRegistry {
        var factories = TestRegistry.factories
        for name in ["a", "b", "c"] { try factories.register(name) { MarkedWriter(name: name, log: log) } }
        let text = #"{ "manifestVersion": 1, "policy": \#(policy), "plugins": \#(plugins), "hosts": \#(hosts) }"#
        return try SerializerRegistry(sources: [.text(text, name: "test.json")], factories: factories)
    }
}
