import PatchbayJSON
import TestSupport
import Testing

@testable import PatchbayRegistry
@testable import PatchbayTools

/// What a comparison says against both registries themselves, asked at random.
@Suite("What is compared against both registries asked", .timeLimit(.minutes(10)))
struct ComparisonOracleTests {
    /// Manifests and questions made of few names, so that they meet.
    struct Maker {
        var random: SplitMix

        mutating func pick<Element>(_ elements: [Element]) -> Element {
            elements[Int.random(in: 0..<elements.count, using: &random)]
        }
        mutating func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &random) == 0 }

        static let types = ["a", "b", "text"]
        static let subtypes = ["x", "y", "c+json", "json", "d+xml"]
        static let statuses = [100, 199, 200, 201, 204, 299, 304, 404, 499, 500, 599, 600, 999]
        static let hosts = [
            "h.example", "h.example:8080", "h.example:80", "s.h.example", "t.s.h.example", "t.s.h.example:8080",
            "other.example",
            "[::1]", "[::1]:8080", "h.example/a", "h.example:8080/a/b", "h.example/ab", "t.s.h.example/a/b/c",
            "s.h.example/b", "other.example/a/..",
        ]
        static let patterns = [
            "h.example", "h.example:8080", "h.example:443", "*.h.example", "*.h.example:8080", "s.h.example",
            "*.s.h.example",
            "[::1]", "[::1]:8080", "*.example", "h.example/a", "h.example:8080/a", "*.h.example/a/b", "*.example/a",
        ]
        static let ids = (0..<7).map { "e\($0)" }

        mutating func essence() -> String { "\(pick(Self.types))/\(pick(Self.subtypes))" }

        mutating func range() -> String {
            let kinds = [
                "\(pick(Self.types))/*", "*/*", "+json", "+xml", "\(pick(Self.types))/*+json", "@json", "@xml",
            ]
            let kind = chance(2) ? essence() : pick(kinds)
            return chance(4) ? "\(kind);\(pick(["p", "charset"]))=\(pick(["1", "2", "UTF-8"]))" : kind
        }

        mutating func status() -> String { pick(["200", "2XX", "4XX", "404", "200-204", "5XX", "500-599", "1XX"]) }

        mutating func entry(_ id: String, unwraps: Bool) -> JSON {
            var match: [(String, JSON)] = []
            if !chance(5) {
                match.append(("types", .array((0..<Int.random(in: 1...3, using: &random)).map { _ in JSON(range()) })))
            }
            if chance(2) { match.append(("status", [JSON(status())])) }
            if chance(6) { match.append(("wanted", "elements")) }
            let factory = pick(
                ["text", "json", "count", "broken", "picky", "numbers", "words", "json-lines", "json-list"]
                    + (unwraps ? ["envelope", "envelope", "envelope"] : []))
            var members: [(String, JSON)] = [("id", JSON(id)), ("factory", JSON(factory)), ("match", .object(match))]
            if chance(2) { members.append(("onFailure", JSON(pick(["next", "next", "raw", "error"])))) }
            if factory == "text", chance(3) { members.append(("options", ["prefix": JSON(pick(["a", "b"]))])) }
            if chance(4) { members.append(("limits", ["maxBodyBytes": JSON(pick([5, 50, 500]))])) }
            if chance(8) { members.append(("enabled", false)) }
            return .object(members)
        }

        mutating func policy() -> JSON {
            var members: [(String, JSON)] = []
            for key in ["noMatch", "missingContentType", "invalidContentType"] where chance(3) {
                members.append((key, JSON(pick(["raw", "error", "e0", "e1"]))))
            }
            if chance(4) { members.append(("acceptableStatus", .array([JSON(status()), JSON(status())]))) }
            if chance(4) { members.append(("accept", JSON(pick(["none", "derived", "all"])))) }
            if chance(4) { members.append(("limits", ["maxBodyBytes": JSON(pick([20, 200]))])) }
            if chance(4) {
                members.append(
                    (
                        "empty",
                        [
                            "methods": .array([JSON(pick(["HEAD", "PUT"]))]), "status": .array([JSON(status())]),
                            "otherwise": JSON(pick(["empty", "error"])),
                        ]
                    ))
            }
            return .object(members)
        }

        mutating func manifest(unwraps: Bool) -> [String: JSON] {
            var parts: [String: JSON] = ["policy": policy(), "aliases": [:]]
            if chance(3) { parts["aliases"] = .object([("a/old", JSON(essence()))]) }
            var ids = Self.ids[...]
            let count = Int.random(in: 2...5, using: &random)
            parts["plugins"] = .array(ids.prefix(count).map { entry($0, unwraps: unwraps) })
            ids = ids.dropFirst(count)
            var hosts: [(String, JSON)] = []
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                let pattern = pick(Self.patterns)
                guard !hosts.contains(where: { $0.0 == pattern }) else { continue }
                hosts.append((pattern, section(ids.popFirst(), unwraps: unwraps)))
            }
            parts["hosts"] = .object(hosts)
            return parts
        }

        mutating func section(_ id: String?, unwraps: Bool) -> JSON {
            var members: [(String, JSON)] = []
            if let id, chance(2) { members.append(("plugins", [entry(id, unwraps: unwraps)])) }
            if chance(3) {
                members.append(("use", ["e1", "e0"]))
            } else if chance(3) {
                members.append(("inherit", false))
            }
            if chance(2) { members.append(("policy", policy())) }
            return .object(members)
        }

        /// The same manifest with one or two parts made anew.
        mutating func edited(_ manifest: [String: JSON], unwraps: Bool) -> [String: JSON] {
            var edited = manifest
            let new = self.manifest(unwraps: unwraps)
            switch Int.random(in: 0..<6, using: &random) {
            case 0: edited["policy"] = new["policy"]
            case 1: edited["aliases"] = new["aliases"]
            case 2:
                edited["hosts"] = .object(
                    manifest["hosts"]?.object.map { $0.dropLast().map { ($0.key, $0.value) } } ?? [])
            case 3:
                let entries = manifest["plugins"]?.array ?? []
                edited["plugins"] = .array(entries.map { $0 }.shuffled(using: &random))
            case 4: break
            default:
                var entries = (manifest["plugins"]?.array).map(Array.init) ?? []
                let index = Int.random(in: 0..<entries.count, using: &random)
                entries[index] = entry(Self.ids[index], unwraps: unwraps)
                edited["plugins"] = .array(entries)
            }
            return edited
        }

        static func text(_ parts: [String: JSON]) -> String {
            JSON.object([("manifestVersion", 1)] + parts.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
                .serialized()
        }

        /// Two registries; nil where a manifest has an entry that never comes to its turn.
        mutating func pair(unwraps: Bool) -> (before: SerializerRegistry, after: SerializerRegistry)? {
            let first = manifest(unwraps: unwraps)
            let second = edited(first, unwraps: unwraps)
            guard let before = try? SerializerRegistry.compared(Self.text(first)),
                let after = try? SerializerRegistry.compared(Self.text(second))
            else { return nil }
            return (before, after)
        }

        mutating func contentType() -> String? {
            if chance(20) { return nil }
            if chance(20) { return "*/*" }
            let essence = chance(8) ? pick(["z/z", "a/old", "z/q+json", "text/q", "a/q+xml", "A/X"]) : essence()
            guard chance(3) else { return essence }
            return "\(essence);\(pick(["p", "charset", "q"]))=\(pick(["1", "2", "utf-8", "\"1\""]))"
        }
    }

    @Test("nothing differs that it does not say, on random questions to random pairs")
    func random() throws {
        var maker = Maker(random: SplitMix(seed: 11))
        var asked = 0
        var different = 0
        var same = 0
        let questions = TestLength.count(10_000, of: 100_000, "questions to random pairs")
        for _ in 0..<4000 where asked < questions {
            guard let (before, after) = maker.pair(unwraps: false) else { continue }
            let comparison = try RegistryComparison(before, after)
            if comparison.isSame { same += 1 }
            let capabilities = comparison.classes.capabilities
            for _ in 0..<400 {
                asked += 1
                let (type, status) = (maker.contentType(), maker.pick(Maker.statuses))
                let method = maker.pick(["GET", "HEAD", "PUT"])
                let host = maker.chance(5) ? nil : maker.pick(Maker.hosts)
                let capability = Int.random(in: capabilities.indices, using: &maker.random)
                func told(_ registry: SerializerRegistry) -> Told {
                    let wanted = capabilities[capability].wanted
                    return Told(
                        registry.explain(
                            contentType: type, status: status, host: host, method: method, producing: wanted), wanted)
                }
                let (old, new) = (told(before), told(after))
                guard old != new else { continue }
                different += 1
                let said = comparison.changes(
                    contentType: ContentType(rawValues: type.map { [$0] } ?? []), status: status, method: method,
                    host: host.flatMap { Endpoint($0) }, capability: capability)
                let aspects = Set(said.map(\.aspect))
                let question = "\(type ?? "-") \(status) \(method) \(host ?? "-") \(capabilities[capability].name)"
                // Of 100,000 questions thousands come here, and none should fail.
                func manifests() -> String {
                    "\n\(before.effectiveManifest)\n\(after.effectiveManifest)\n\(comparison.lines.joined(separator: "\n"))"
                }
                // A typed call, where one of the two does not accept the status: that is what is said of it.
                let isError = capability > 0 && aspects.contains(.acceptableStatus)
                #expect(
                    old.entries == new.entries || isError || aspects.contains(.entries),
                    "\(question) \(old) \(new)\(manifests())")
                #expect(
                    old.limits == new.limits || isError || !aspects.isDisjoint(with: [.entries, .limits]),
                    "\(question)\(manifests())")
                #expect(
                    old.acceptable == new.acceptable || aspects.contains(.acceptableStatus), "\(question)\(manifests())"
                )
                #expect(old.empty == new.empty || aspects.contains(.empty), "\(question)\(manifests())")
                #expect(
                    old.accept == new.accept || !aspects.isDisjoint(with: [.accept, .acceptableStatus]),
                    "\(question) \(old.accept ?? "-") \(new.accept ?? "-")\(manifests())")
            }
        }
        print("\(asked) questions, \(different) answered differently, \(same) pairs the same")
        #expect(asked >= questions)
        #expect(different > questions / 100)
        #expect(same > questions / 10_000)
    }

    @Test("every change is one: both registries asked about its first response say different things")
    func witnesses() throws {
        var maker = Maker(random: SplitMix(seed: 12))
        var seen = 0
        let changes = TestLength.count(300, of: 1_500, "changes between random pairs")
        for _ in 0..<800 where seen < changes {
            guard let (before, after) = maker.pair(unwraps: false) else { continue }
            let comparison = try RegistryComparison(before, after)
            for change in comparison.changes
            where !change.before.words.contains("may decline") && !change.after.words.contains("may decline") {
                seen += 1
                let (old, new) = (
                    change.told(by: before, comparison.classes), change.told(by: after, comparison.classes)
                )
                #expect(old != new, "\(change)\n\(before.effectiveManifest)\n\(after.effectiveManifest)")
            }
        }
        #expect(seen >= changes)
    }

    /// A value, or the failure, with everyone who was asked.
    private static func outcome(_ registry: SerializerRegistry, _ type: String?, _ status: Int, _ body: String)
        -> String
    {
        let decision = registry.explain(contentType: type, status: status)
        do throws(LookupFailure) {
            let serialized = try decision.serialize(ResponseBody(text: body))
            return "\(serialized.outcome) \(serialized.entry ?? "-") \(serialized.value)"
        } catch {
            return "\(error.code) \(error.entry ?? "-") \(error.attempts.map(\.entry))"
        }
    }

    @Test("what comes out of bodies in bodies differs only where it says so")
    func unwrapped() throws {
        var maker = Maker(random: SplitMix(seed: 13))
        var asked = 0
        var different = 0
        let questions = TestLength.count(2_000, of: 20_000, "bodies in bodies")
        for _ in 0..<2000 where asked < questions {
            guard let (before, after) = maker.pair(unwraps: true) else { continue }
            let comparison = try RegistryComparison(before, after)
            for _ in 0..<100 {
                asked += 1
                let (outer, status) = (maker.contentType(), maker.pick(Maker.statuses))
                let inner = (0..<3).map { _ in maker.essence() }
                let body = (inner + ["[1]"]).joined(separator: "\n")
                guard Self.outcome(before, outer, status, body) != Self.outcome(after, outer, status, body) else {
                    continue
                }
                different += 1
                let types = [outer.map { ContentType(rawValues: [$0]) } ?? .missing]
                let isSaid =
                    !comparison.changes(contentType: types[0], status: status, host: nil, capability: 0).isEmpty
                    || inner.contains { type in
                        !comparison.changes(
                            contentType: ContentType(rawValues: [type]), status: status, host: nil, capability: 0,
                            isInside: true
                        ).isEmpty
                    }
                #expect(
                    isSaid,
                    "\(outer ?? "-") \(status) \(inner)\n\(before.effectiveManifest)\n\(after.effectiveManifest)\n\(comparison.lines.joined(separator: "\n"))"
                )
            }
        }
        print("\(asked) bodies, \(different) answered differently")
        #expect(asked >= questions)
        #expect(different > questions / 100)
    }
}

extension RegistryComparison {
    /// The changes that a question falls under.
    ///
    /// - Parameter isInside: whether it is about what an entry has unwrapped.
    fileprivate func changes(
        contentType: ContentType, status: Int, method: String = "GET", host: Endpoint?, capability: Int,
        isInside: Bool = false
    ) -> [RegistryChange] {
        let type = classes.types.indexByName(of: contentType)
        #expect(classes.types.index(of: contentType) == type, "\(contentType)")
        let host = classes.host(of: host?.host, at: host?.url)
        let policies = host.map { classes.hosts[$0].sections.map(\.policy) } ?? []
        let isNamed = policies.contains { $0.empty.methods.contains(method) }
        // Where a status is not accepted, the body is looked up as for a call that wants any value.
        let isAsked = policies.allSatisfy { $0.acceptableStatus.contains(status) }
        return changes.filter { change in
            guard change.inside.isEmpty != isInside, let host, change.hosts.contains(host) else { return false }
            switch change.aspect {
            case .limits: return true
            // These are no answers about a response.
            case .writers, .requestContentType, .cache: return false
            case .accept: return change.capabilities.contains(capability)
            case .acceptableStatus: return change.statuses.contains(status)
            case .empty:
                return change.statuses.contains(status)
                    && change.methods.contains(isNamed ? method : nil)
            case .entries:
                return change.types.contains(type) && change.statuses.contains(status)
                    && change.capabilities.contains(isAsked ? capability : Capability.first)
            }
        }
    }
}
