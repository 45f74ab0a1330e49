import PatchbayJSON
import PatchbayRegistry
import PatchbayTools
import Testing

/// The keys that the schema and the reference are made from are those that the reader takes.
@Suite("Keys of the manifest")
struct ManifestKeyTests {
    /// An object, the pointer to it, and a manifest that has a member there.
    struct Place: Sendable, CustomTestStringConvertible {
        let object: ManifestObject
        let pointer: String
        let around: (before: String, after: String)
        var testDescription: String { object.name }

        func manifest(_ member: String) -> String { around.before + member + around.after }
    }

    static let places = [
        Place(object: .manifest, pointer: "", around: (#"{ "manifestVersion": 1, "#, " }")),
        Place(object: .policy, pointer: "/policy", around: (#"{ "manifestVersion": 1, "policy": { "#, " } }")),
        Place(
            object: .empty, pointer: "/policy/empty",
            around: (#"{ "manifestVersion": 1, "policy": { "empty": { "#, " } } }")),
        Place(
            object: .limits, pointer: "/policy/limits",
            around: (#"{ "manifestVersion": 1, "policy": { "limits": { "#, " } } }")),
        Place(
            object: .entry, pointer: "/plugins/0",
            around: (#"{ "manifestVersion": 1, "plugins": [{ "#, " }] }")),
        Place(
            object: .place, pointer: "/plugins/0/place",
            around: (#"{ "manifestVersion": 1, "plugins": [{ "id": "a", "factory": "json", "place": { "#, " } }] }")),
        Place(
            object: .match, pointer: "/plugins/0/match",
            around: (#"{ "manifestVersion": 1, "plugins": [{ "id": "a", "factory": "json", "match": { "#, " } }] }")),
        Place(
            object: .entryLimits, pointer: "/plugins/0/limits",
            around: (#"{ "manifestVersion": 1, "plugins": [{ "id": "a", "factory": "json", "limits": { "#, " } }] }")),
        Place(
            object: .section, pointer: "/hosts/a.example",
            around: (#"{ "manifestVersion": 1, "hosts": { "a.example": { "#, " } } }")),
    ]

    @Test("the reader takes the keys that are described, in the same order, and no others")
    func names() {
        let read = [
            ManifestKeys.manifest, ManifestKeys.policy, ManifestKeys.empty, ManifestKeys.limits, ManifestKeys.entry,
            ManifestKeys.place, ManifestKeys.match, ManifestKeys.entryLimits, ManifestKeys.section,
        ]
        #expect(Self.places.map(\.object.names) == read)
    }

    @Test("every key is read: a value of a kind that it does not have is a fault at its place", arguments: places)
    func read(_ place: Place) throws {
        for key in place.object.keys where key.name != "manifestVersion" {
            let wrong =
                switch key.value {
                case .integer, .bool, .list, .object, .map, .options: "\"x\""
                case .text, .character, .pattern, .factory, .words, .number: "7"
                }
            let failure = try #require(throws: ManifestFailure.self, "\(key.name)") {
                try SerializerRegistry.fixture(place.manifest("\"\(key.name)\": \(wrong)"))
            }
            let codes = failure.issues.filter { $0.pointer == "\(place.pointer)/\(key.name)" }.map(\.kind)
            #expect(codes == [.wrongType], "\(key.name): \(failure)")
        }
    }

    @Test("no other key is taken, but for those that start with x-", arguments: places)
    func refused(_ place: Place) throws {
        let failure = try #require(throws: ManifestFailure.self) {
            try SerializerRegistry.fixture(place.manifest(#""zzz": 1, "x-zzz": 1"#))
        }
        let issue = try #require(failure.issues.first { $0.kind == .unknownKey })
        #expect(issue.pointer == "\(place.pointer)/zzz")
        #expect(issue.message.contains("known are " + place.object.names.prefix(8).joined(separator: ", ")))
        #expect(failure.issues.allSatisfy { !$0.pointer.contains("x-zzz") })
    }

    @Test("what is said to hold without a key holds without it")
    func defaults() throws {
        func members(_ object: ManifestObject) -> [(String, JSON)] {
            object.keys.compactMap { key in
                if case .object(let object) = key.value { return (key.name, .object(members(object))) }
                return key.standard.map { (key.name, $0) }
            }
        }
        let policy = JSON.object(members(.policy))
        #expect(policy.object?.map(\.key) == ManifestObject.policy.names)
        let said = try SerializerRegistry.fixture(#"{ "manifestVersion": 1, "policy": \#(policy) }"#)
        #expect(said.policy(for: nil) == SerializerRegistry.Policy())
        let entry =
            members(.entry).filter { !["match", "limits"].contains($0.0) } + [("id", "a"), ("factory", "json")]
        let whole = try SerializerRegistry.entries("\(JSON.object(entry))").routes(host: nil)
        let short = try SerializerRegistry.entries(#"{ "id": "a", "factory": "json" }"#).routes(host: nil)
        func facts(_ entries: [RegistryEntry]) -> [String] {
            entries.map { "\($0) \($0.options) \($0.onFailure) \($0.maximumBodyBytes ?? -1) \($0.writes ?? "-")" }
        }
        #expect(facts(whole) == facts(short))
        #expect(Set(entry.map(\.0)).isSuperset(of: ["options", "onFailure", "optional", "enabled"]))
    }

    @Test("$schema says nothing: it is in no effective manifest and in no digest")
    func schema() throws {
        let plain = try SerializerRegistry.fixture(ManifestFailureTests.base)
        let named = try SerializerRegistry.fixture(
            ManifestFailureTests.base.replacing(
                "{ \"manifestVersion\"", with: "{ \"$schema\": \"./s.json\", \"manifestVersion\""))
        #expect(named.effectiveManifest == plain.effectiveManifest)
        #expect(named.effectiveManifest["$schema"] == nil)
        #expect(named.digest == plain.digest)
    }
}
