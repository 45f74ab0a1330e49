import PatchbayJSON
import PatchbayRegistry
import TestSupport
import Testing

/// Layers are read one by one, and their values are laid over each other: that must be what reading their sum gives.
@Suite("Values of several manifests", .timeLimit(.minutes(5)))
struct LayeredValuesTests {
    typealias Generator = RouteTableOracleTests.Generator

    /// What a member may say, null among it where a layer lies over others.
    private static func member(
        _ name: String, _ values: [String], isOverlay: Bool, _ generator: inout Generator
    ) -> String? {
        switch Int.random(in: 0..<6, using: &generator) {
        case 0, 1, 2: values.randomElement(using: &generator).map { "\"\(name)\": \($0)" }
        case 3 where isOverlay: "\"\(name)\": null"
        default: nil
        }
    }

    private static func object(_ members: [String?]) -> String {
        "{ \(members.compactMap(\.self).joined(separator: ", ")) }"
    }

    private static func policy(_ isOverlay: Bool, _ generator: inout Generator) -> String {
        func member(_ name: String, _ values: [String]) -> String? {
            Self.member(name, values, isOverlay: isOverlay, &generator)
        }
        let empty = object([
            member("methods", [#"["HEAD"]"#, #"["HEAD", "GET"]"#, "[]"]), member("status", ["[]", #"["204"]"#]),
            member("otherwise", [#""error""#, #""empty""#]),
        ])
        let limits = object([member("maxBodyBytes", ["10", "20"])])
        return object([
            member("noMatch", [#""raw""#, #""error""#, #""e0""#]),
            member("missingContentType", [#""error""#, #""e1""#]),
            member("invalidContentType", [#""error""#, #""raw""#]),
            member("acceptableStatus", [#""any""#, #"["2XX", "404"]"#]), member("empty", [empty, empty]),
            member("limits", [limits, limits]), member("accept", [#""none""#, #""derived""#]),
        ])
    }

    private static func entry(_ id: String, _ isNew: Bool, _ generator: inout Generator) -> String {
        func member(_ name: String, _ values: [String]) -> String? {
            Self.member(name, values, isOverlay: !isNew, &generator)
        }
        let match = object([
            member("types", [#"["own/a", "@json"]"#, #"["text/*"]"#]),
            member("status", [#"["2XX"]"#, #"["404", "5XX"]"#]),
        ])
        let limits = object([member("maxBodyBytes", ["5", "15"])])
        let factory = ["text", "json", "count"].randomElement(using: &generator).map { "\"factory\": \"\($0)\"" }
        return object([
            "\"id\": \"\(id)\"", isNew ? factory : [factory, nil].randomElement(using: &generator) ?? nil,
            member("match", [match, match]), member("limits", [limits, limits]),
            member("onFailure", [#""next""#, #""raw""#]), member("optional", ["true"]),
            member("enabled", ["false", "true"]),
        ])
    }

    private static func layer(_ number: Int, _ generator: inout Generator) -> String {
        let isOverlay = number > 0
        func entries(_ prefix: String) -> String {
            let entries = (0..<3).filter { _ in !isOverlay || Bool.random(using: &generator) }
            return "[\(entries.map { entry("\(prefix)\($0)", !isOverlay, &generator) }.joined(separator: ", "))]"
        }
        let host = object([
            "\"plugins\": \(entries("h"))",
            member("policy", [policy(isOverlay, &generator)], isOverlay: isOverlay, &generator),
            member("inherit", ["true", "false"], isOverlay: isOverlay, &generator),
        ])
        return object([
            "\"manifestVersion\": 1", "\"plugins\": \(entries("e"))",
            member("policy", [policy(isOverlay, &generator)], isOverlay: isOverlay, &generator),
            member("aliases", [#"{ "a/b": "own/a" }"#, #"{ "a/c": "own/a" }"#], isOverlay: isOverlay, &generator),
            "\"hosts\": { \"one.example\": \(host) }",
        ])
    }

    /// All of a table but where its entries were written.
    private static func rows(_ registry: SerializerRegistry, _ host: CanonicalHost?) -> [String] {
        registry.routes(host: host).map { route in
            "\(route), \(route.factory), \(route.output ?? "-"), \(route.onFailure), \(route.maximumBodyBytes ?? -1), \(route.availability), \(route.hostSection ?? "-")"
        } + ["\(registry.policy(for: host))"]
    }

    @Test("are those of the manifest that they are together, for random stacks of manifests")
    func oracle() throws {
        var generator = Generator(state: 12)
        let hosts = [nil, CanonicalHost("one.example")]
        var compared = 0
        let stacks = TestLength.count(300, of: 2_000, "stacks of manifests")
        for _ in 0..<stacks {
            let layers = (0..<Int.random(in: 1...4, using: &generator)).map { Self.layer($0, &generator) }
            // An entry that never comes to its turn within one layer is refused.
            guard let registry = try? SerializerRegistry.fixture(layers[0], overlays: Array(layers.dropFirst())) else {
                continue
            }
            compared += 1
            let whole = try SerializerRegistry.fixture(registry.effectiveManifest.serialized())
            for host in hosts {
                #expect(Self.rows(registry, host) == Self.rows(whole, host), "\(layers.joined(separator: "\n"))")
            }
            for entry in registry.effectiveManifest["plugins"]?.array ?? [] {
                for said in registry.provenance(ofEntry: entry["id"]?.string ?? "") {
                    #expect((entry.pointer("/" + said.key.replacing(".", with: "/")) ?? .null) == said.value, "\(said)")
                    #expect(said.line == 1)
                }
            }
            for alias in ["a/b", "a/c"] {
                #expect(
                    registry.explain(contentType: alias).description == whole.explain(contentType: alias).description)
            }
        }
        #expect(compared > stacks / 4)
    }
}
