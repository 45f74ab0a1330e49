import Foundation
import Patchbay
import PatchbayTools
import Testing

/// A question to the registry of an example, and the answer.
struct ReferenceProbe: Sendable {
    let question: String
    let answer: String
    let ask: @Sendable (SerializerRegistry) throws -> String

    /// Who takes a response: the id of an entry, or `raw`, `empty` or `error`.
    static func takes(
        _ type: String?, status: Int = 200, host: String? = nil, method: String = "GET", _ answer: String
    ) -> ReferenceProbe {
        ReferenceProbe(question: "\(method) \(type ?? "no type") \(status) \(host ?? "")", answer: answer) { registry in
            let decision = registry.explain(contentType: type, status: status, host: host, method: method)
            return decision.outcome == .entry ? decision.entryID ?? "" : decision.outcome.rawValue
        }
    }

    /// What becomes of a body: JSON, text and the text of an XML tree as they are, of other values the type, or `failure`.
    static func reads(
        _ type: String, _ body: [UInt8], host: String? = nil, _ answer: String
    ) -> ReferenceProbe {
        ReferenceProbe(question: "\(type): \(String(decoding: body, as: UTF8.self))", answer: answer) { registry in
            let decision = registry.explain(contentType: type, host: host)
            guard let made = try? decision.serialize(ResponseBody(body)) else { return "failure" }
            switch made.value {
            case let json as JSON: return json.description
            case let text as String: return text
            case let tree as XMLTree: return tree.root.text
            case let value: return "\(Swift.type(of: value))"
            }
        }
    }

    static func reads(_ type: String, _ body: String, host: String? = nil, _ answer: String) -> ReferenceProbe {
        reads(type, Array(body.utf8), host: host, answer)
    }

    /// Who writes an object into the body of a request: the id of an entry, or `error`.
    ///
    /// - Parameter type: the media type that the call says; nil where it says none.
    static func writer(_ type: MediaType?, host: String? = nil, _ answer: String) -> ReferenceProbe {
        ReferenceProbe(question: "writing \(type?.description ?? "") \(host ?? "")", answer: answer) { registry in
            let decision = registry.explain(writing: ["a": 1], in: type, host: host)
            return decision.entry ?? decision.outcome.rawValue
        }
    }

    /// What a typed call makes of a body.
    static func decodes<Value: Decodable & Sendable>(
        _ type: String, status: Int = 200, _ body: String, as value: Value.Type, _ answer: String
    ) -> ReferenceProbe {
        ReferenceProbe(question: "\(type) as \(value): \(body)", answer: answer) { registry in
            let decision = registry.explain(contentType: type, status: status)
            return "\(try decision.serialize(ResponseBody(Array(body.utf8)), as: value).value)"
        }
    }

    /// The body that a value becomes, or `failure`.
    static func writes(_ value: some Encodable & Sendable, in type: MediaType, _ answer: String) -> ReferenceProbe {
        ReferenceProbe(question: "writes \(type)", answer: answer) { registry in
            let writer = try #require(registry.writer(of: .value(value), as: type, for: nil).writer)
            guard let bytes = try? writer.serializer.write(value, as: type) else { return "failure" }
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    /// The ids of the table, in order.
    static func order(host: String? = nil, _ answer: String) -> ReferenceProbe {
        ReferenceProbe(question: "order \(host ?? "")", answer: answer) { registry in
            let place = host.flatMap { Endpoint($0) }
            return registry.routes(host: place?.host, at: place?.url).map(\.id).joined(separator: " ")
        }
    }

    static func policy(
        host: String? = nil, _ answer: String, _ ask: @escaping @Sendable (SerializerRegistry.Policy) -> String
    )
        -> ReferenceProbe
    {
        ReferenceProbe(question: "policy \(host ?? "")", answer: answer) { registry in
            let place = host.flatMap { Endpoint($0) }
            return ask(registry.policy(for: place?.host, at: place?.url))
        }
    }

    /// What `patchbay check` warns of.
    static func warnings(_ answer: String) -> ReferenceProbe {
        ReferenceProbe(question: "warnings", answer: answer) { $0.lint().map(\.description).joined(separator: "\n") }
    }

    /// Whether the registry is the standard one.
    static let changesNothing = ReferenceProbe(question: "digest", answer: SerializerRegistry.standard.digest) {
        $0.digest
    }
}
