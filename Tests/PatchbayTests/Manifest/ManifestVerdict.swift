import Foundation
import Patchbay
import PatchbayMigration
import Testing

/// A manifest laid over the standard table, and what the loader and the schema say of it.
struct ManifestVerdict: Sendable, CustomTestStringConvertible {
    enum Expected: Sendable, Hashable {
        case good
        /// Both refuse it, and for the value at this pointer.
        case bad(String)
        /// The loader refuses it, for what no schema can know.
        case unknown(Unknown)
    }

    /// What a schema cannot know, as the reference lists it.
    enum Unknown: String, Sendable, CaseIterable {
        case duplicateKey = "a key that stands twice in one object"
        case depth = "arrays and objects that lie more than 64 deep in each other"
        case size = "a manifest of more than 1 MiB"
        case duplicateID =
            "an id that two entries have, or two of the manifests that lie over each other in different lists"
        case tooManyEntries = "more than 1,000 entries in all lists together"
        case unknownID = "an id that no entry has, or none of that list, and a pattern in `extends` that no section has"
        case unknownFactory = "a factory that nobody registered"
        case missingFactory = "an entry without `factory` whose id no manifest under it has"
        case foreignOptions =
            "the options of an entry whose `factory` another manifest says, and of factories of your own"
        case refusedByFactory =
            "what a factory refuses in its own code, such as an unknown charset or a `maxCharacters` beyond the largest body"
        case duplicateHost = "a host that stands twice, in two spellings"
        case aliasChain = "an alias of an alias, and an entry for a type that is an alias"
        case layeredUse = "`use` and `\"inherit\": false` of one host in two manifests"
        case loneWithout = "`without` in a section that extends nothing"
        case contradiction = "places and an order that contradict each other"
        case sides =
            "`\"reads\": true` or `\"writes\": true` if the serializer cannot, and an entry that neither reads nor writes"
        case hiddenEntry = "an entry that an earlier one of its list hides"
        case duplicateParameter = "a media range that names a parameter twice"
        case address = "characters in brackets that are no IPv6 address"
        case bytes = "a pattern of at most 256 characters that has more than 256 bytes"
        case nothingUnder = "null in an overlay that lies over nothing"
    }

    let name: String
    let text: String
    let expected: Expected
    /// Whether the factory `image` has to be in the build.
    var needsImages = false
    /// Whether it lies over nothing.
    var isAlone = false
    var testDescription: String { String(name.prefix(120)) }

    init(_ name: String, _ text: String, _ expected: Expected = .good, needsImages: Bool = false, alone: Bool = false) {
        self.name = name
        self.text = text
        self.expected = expected
        self.needsImages = needsImages
        isAlone = alone
    }

    /// With these members beside the version.
    static func with(_ members: String, _ expected: Expected = .good, needsImages: Bool = false) -> ManifestVerdict {
        ManifestVerdict(members, "{ \"manifestVersion\": 1, \(members) }", expected, needsImages: needsImages)
    }

    /// With one new entry, which has these members beside id and factory.
    static func entry(_ members: String, _ expected: Expected = .good) -> ManifestVerdict {
        with(#""plugins": [{ "id": "new", "factory": "json", \#(members) }]"#, expected)
    }

    static func options(_ factory: String, _ options: String, _ expected: Expected = .good) -> ManifestVerdict {
        with(
            #""plugins": [{ "id": "new", "factory": "\#(factory)", "options": \#(options) }]"#, expected,
            needsImages: factory == "image")
    }

    /// What the loader says: nothing, or each place and fault.
    var issues: [ManifestFailure.Issue] {
        do throws(ManifestFailure) {
            let source = ManifestSource.text(text, name: "m.json")
            if isAlone {
                _ = try SerializerRegistry(sources: [source], factories: .standard.joined(with: .migration))
            } else {
                _ = try SerializerRegistry.migrating.overlaid(by: source)
            }
            return []
        } catch {
            return error.issues
        }
    }
}
