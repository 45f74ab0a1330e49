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
        case duplicateKey = "a key that occurs twice in one object"
        case depth = "arrays and objects nested more than 64 deep"
        case size = "a manifest of more than 1 MiB"
        case duplicateID =
            "an id of two entries, or an id that two manifests use in different lists"
        case tooManyEntries = "more than 1,000 entries in all lists together"
        case unknownID = "an id without an entry in its list, and a pattern in `extends` without a section"
        case unknownFactory = "a factory that is not registered"
        case missingFactory = "an entry without `factory` whose id is new"
        case foreignOptions =
            "the options of an entry whose `factory` is in another manifest, and the options of factories of your own"
        case refusedByFactory =
            "values that a factory refuses in its code, such as an unknown charset or a `maxCharacters` above the largest body"
        case duplicateHost = "a host that occurs twice, in two spellings"
        case aliasChain = "an alias of an alias, and an entry for a type that is an alias"
        case layeredUse = "`use` and `\"inherit\": false` for one host in two manifests"
        case leftOut = "an id in `without` that `use` or the policy of the host names"
        case pathExtends = "`extends` in a section with a path"
        case contradiction = "places and an order that contradict each other"
        case sides =
            "`\"reads\": true` or `\"writes\": true` if the serializer cannot, and an entry that neither reads nor writes"
        case hiddenEntry = "an entry hidden by an earlier entry of its list"
        case duplicateParameter = "a media range that names a parameter twice"
        case address =
            "characters in brackets that are not an IPv6 address, a host that ends in a number and is not an IPv4 address, and a range of addresses such as `10.0.0.0/8`"
        case bytes = "a pattern of at most 256 characters that has more than 256 bytes"
        case nothingUnder = "null in an overlay without a manifest before it"
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
