import PatchbayJSON
import PatchbayRegistry

// The grammar of a manifest. The reader takes only these keys; the schema and the reference are made from them.

extension ManifestObject {
    /// The top level of a manifest.
    package static let manifest = ManifestObject(
        "manifest",
        ManifestKey("$schema", .text(), "The place of the schema of manifests, for an editor; the loader ignores it."),
        ManifestKey(
            "manifestVersion", .integer(ManifestReader.version...ManifestReader.version),
            "The version of this grammar.", need: .everyObject),
        ManifestKey(
            "inherit", .bool, default: true,
            "Whether the manifests before this one count. False makes this manifest the whole table."),
        ManifestKey("policy", .object(policy), "The rules for responses that no entry covers, and for all bodies."),
        ManifestKey(
            "aliases", .map(.essence, .pattern(.essence)),
            "Media types that are looked up as another media type. The serializer still gets the type that was sent."),
        ManifestKey(
            "plugins", .list(.object(entry), atMost: ManifestReader.maximumEntries),
            "The global list of entries. The first entry that covers a response reads it."),
        ManifestKey(
            "order", ids,
            "Ids of the global list in their new order. They share the positions that they have; all other entries stay in place.",
            removable: false),
        ManifestKey(
            "hosts", .map(.host, .object(section), atMost: ManifestReader.maximumEntries),
            "Sections for hosts, and for paths of hosts. Only the narrowest section applies to a URL."))

    private typealias Policy = SerializerRegistry.Policy
    private static let standard = Policy()

    /// The policy of all responses, or of the responses of a host.
    package static let policy = ManifestObject(
        "policy",
        ManifestKey(
            "noMatch", .pattern(.fallback), default: JSON(standard.noMatch.description),
            "The result of a response that no entry covers: the raw bytes, an error, or the value of the entry with this id, whose types do not count."
        ),
        ManifestKey(
            "missingContentType", .pattern(.fallback), default: JSON(standard.missingContentType.description),
            "The same for a response without Content-Type, unless an entry without types covers it."),
        ManifestKey(
            "invalidContentType", .pattern(.fallback), default: JSON(standard.invalidContentType.description),
            "The same for a response whose Content-Type is not a media type, such as `json` or `*/*`."),
        ManifestKey(
            "acceptableStatus", .words(["any"], or: .list(.pattern(.status), atLeast: 1)),
            default: json(standard.acceptableStatus),
            "The statuses that are not an error, or `any`."),
        ManifestKey("empty", .object(empty), "The rules for a response without bytes."),
        ManifestKey("limits", .object(limits), "The limits of all responses."),
        ManifestKey(
            "accept", .words(Policy.Accept.allCases.map(\.rawValue)), default: JSON(standard.accept.rawValue),
            "The Accept field of requests that do not set it: made from the types of the first entries, from those of all entries, or left out."
        ),
        ManifestKey(
            "requestContentType", .pattern(.mediaType), default: JSON(standard.requestContentType.description),
            "The media type of a sent value, unless `in:` of the call or the Content-Type of the request sets one."),
        ManifestKey(
            "cache", .words(Policy.CacheRule.allCases.map(\.rawValue)), default: JSON(standard.cache.rawValue),
            "What a cache stores and reuses, if the program has one: what RFC 9111 allows, the same without guessed lifetimes, or nothing."
        ))

    /// `"empty"` of a policy.
    package static let empty = ManifestObject(
        "empty",
        ManifestKey(
            "methods", .list(.text()), default: .array(standard.empty.methods.map { JSON($0) }),
            "The request methods whose responses have no body."),
        ManifestKey(
            "status", .list(.pattern(.status)), default: json(standard.empty.status),
            "The statuses whose responses have no body."),
        ManifestKey(
            "otherwise", .words(Policy.EmptyBody.Otherwise.allCases.map(\.rawValue)),
            default: JSON(standard.empty.otherwise.rawValue),
            "The result of no bytes for all other methods and statuses: an empty response, or an error."))

    /// `"limits"` of a policy.
    package static let limits = ManifestObject(
        "limits",
        ManifestKey(
            "maxBodyBytes", .integer(0...Int.max), default: JSON(standard.maximumBodyBytes),
            "The largest body, in bytes after content decoding. A larger body ends the transfer."))

    /// One element of `"plugins"`.
    package static let entry = ManifestObject(
        "entry",
        ManifestKey(
            "id", .pattern(.id),
            "The name of the entry, unique in all lists. An id of an earlier manifest changes that entry.",
            need: .everyObject),
        ManifestKey("factory", .factory, "The name of the factory that makes the serializer.", need: .someManifest),
        ManifestKey("match", .object(match), "The responses and request bodies that the entry covers; by default all."),
        ManifestKey("options", .options, default: [:], "The options of the factory."),
        ManifestKey("limits", .object(entryLimits), "The limits of bodies for this entry."),
        ManifestKey(
            "onFailure", .words(FailureRule.allCases.map(\.rawValue)), default: JSON(FailureRule.error.rawValue),
            "What follows if the serializer cannot read a response, or if the body exceeds the entry's limit: an error, the next entry that covers the response, or the raw bytes."
        ),
        ManifestKey(
            "optional", .bool, default: false,
            "Whether an entry whose factory is not in the build declines everything. By default such an entry is an error."
        ),
        ManifestKey("enabled", .bool, default: true, "Whether the entry is asked."),
        ManifestKey(
            "reads", .bool,
            "Whether the entry reads responses; by default, if its serializer can. True is an error if the serializer can't."
        ),
        ManifestKey(
            "writes", .bool,
            "Whether the entry writes the bodies of requests; by default, if its serializer can. True is an error if the serializer can't."
        ),
        ManifestKey(
            "place", .words(["first", "last"], or: .object(place)),
            "The place of the entry in its list, for a new and for a known entry.", removable: false),
        ManifestKey(
            "hides", ids,
            "The entries from which this entry takes responses on purpose. It ends the warning about them and, in a host section, the note that they are hidden."
        ))

    /// `"place"` of an entry, as a position before or after another entry.
    package static let place = ManifestObject(
        "place",
        ManifestKey("before", .text(), "The id of the entry before which it goes.", removable: false),
        ManifestKey("after", .text(), "The id of the entry behind which it goes.", removable: false))

    private static let ids = ManifestValue.list(.text(), atMost: ManifestReader.maximumEntries, isSet: true)

    /// `"match"` of an entry.
    package static let match = ManifestObject(
        "match",
        ManifestKey(
            "types", .list(.pattern(.mediaRange), atLeast: 1),
            "Media ranges, one of which must cover the type of the response or request body. By default the entry covers all types, and responses without a type."
        ),
        ManifestKey(
            "status", .list(.pattern(.status), atLeast: 1),
            "Statuses, one of which must be that of the response; by default any status. It does not apply to requests."
        ),
        ManifestKey(
            "wanted", .words(ManifestEntry.Wanted.allCases.map(\.rawValue)),
            "Calls that the entry is for: `elements` means calls for elements, one by one or as an array. By default the entry is for all calls."
        ))

    /// `"limits"` of an entry.
    package static let entryLimits = ManifestObject(
        "entryLimits",
        ManifestKey(
            "maxBodyBytes", .integer(0...Int.max),
            "The largest body for this entry, in bytes after content decoding. The limit of the policy also applies."
        ))

    /// The section of a host.
    package static let section = ManifestObject(
        "section",
        ManifestKey(
            "plugins", .list(.object(entry), atMost: ManifestReader.maximumEntries),
            "Entries for this host, asked before those of the global list."),
        ManifestKey(
            "order", ids,
            "Ids of the section's own and extended entries in their new order. They share the positions that they have.",
            removable: false),
        ManifestKey(
            "extends", .pattern(.wildcard),
            "The wildcard section whose own entries are asked after those of this section, and before the global list. Its `requestContentType` also applies here, unless this section sets one; the rest of its policy does not."
        ),
        ManifestKey("without", ids, "The entries of the extended section and of the global list that are left out."),
        ManifestKey(
            "use", ids,
            "The entries of the global list that are asked here, in this order; by default all, in their own order."),
        ManifestKey(
            "inherit", .bool, default: true, "Whether the global list is asked after the section's own entries."),
        ManifestKey("policy", .object(policy), "The differences from the policy of the top level."),
        ManifestKey(
            "hides", ids,
            "The entries that this section lacks on purpose, of a wildcard's section or of the section of the host without its port. It ends the warning about them. An entry that takes responses has its own `hides`."
        ))

    private static func json(_ statuses: StatusSet) -> JSON {
        .array(statuses.members.map { JSON($0.description) })
    }
}
