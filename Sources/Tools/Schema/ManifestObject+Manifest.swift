import PatchbayJSON
import PatchbayRegistry

// The grammar of a manifest. The reader takes these keys and no others; the schema and the reference are held to them.

extension ManifestObject {
    /// What stands at the top level.
    package static let manifest = ManifestObject(
        "manifest",
        [
            ManifestKey(
                "$schema", .text(),
                "Where an editor finds the schema of manifests; the loader passes it over."),
            ManifestKey(
                "manifestVersion", .integer(ManifestReader.version...ManifestReader.version),
                "The version of this grammar.", need: .everyObject),
            ManifestKey(
                "inherit", .bool, default: true,
                "Whether the manifests under this one count; false makes it the whole table."),
            ManifestKey("policy", .object(policy), "What holds where no entry decides."),
            ManifestKey(
                "aliases", .map(.essence, .pattern(.essence)),
                "Media types that are looked up as another one; the serializer sees the type that was sent."),
            ManifestKey(
                "plugins", .list(.object(entry), atMost: ManifestReader.maximumEntries),
                "The global list of entries; the first that covers a response takes it."),
            ManifestKey(
                "order", ids,
                "Ids of the global list, which take the positions that they have among themselves in this order.",
                removable: false),
            ManifestKey(
                "hosts", .map(.host, .object(section), atMost: ManifestReader.maximumEntries),
                "What is different for some hosts, by host pattern; one section applies to a host, the narrowest."),
        ])

    /// What holds for all responses, or for those of a host.
    package static let policy = ManifestObject(
        "policy",
        [
            ManifestKey(
                "noMatch", .pattern(.fallback), default: JSON(SerializerRegistry.Policy().noMatch.description),
                "What takes a response that no entry covers: the raw bytes, an error, or an entry, whose types are not asked for."
            ),
            ManifestKey(
                "missingContentType", .pattern(.fallback),
                default: JSON(SerializerRegistry.Policy().missingContentType.description),
                "The same for a response without Content-Type, where no entry without types covers it."),
            ManifestKey(
                "invalidContentType", .pattern(.fallback),
                default: JSON(SerializerRegistry.Policy().invalidContentType.description),
                "The same for a response whose Content-Type says nothing, such as `json` or `*/*`."),
            ManifestKey(
                "acceptableStatus", .words(["any"], or: .list(.pattern(.status), atLeast: 1)),
                default: json(SerializerRegistry.Policy().acceptableStatus), "The statuses that are no error, or `any`."
            ),
            ManifestKey("empty", .object(empty), "What a response without a single byte is."),
            ManifestKey("limits", .object(limits), "What no response may pass."),
            ManifestKey(
                "accept", .words(SerializerRegistry.Policy.Accept.allCases.map(\.rawValue)),
                default: JSON(SerializerRegistry.Policy().accept.rawValue),
                "The Accept of requests that set none: the types of the entries that come first, of all entries, or none."
            ),
            ManifestKey(
                "requestContentType", .pattern(.mediaType),
                default: JSON(SerializerRegistry.Policy().requestContentType.description),
                "The media type of a value that is sent, unless `in:` of the call or the Content-Type of the request says one."
            ),
        ])

    /// `"empty"` of a policy.
    package static let empty = ManifestObject(
        "empty",
        [
            ManifestKey(
                "methods", .list(.text()), default: .array(SerializerRegistry.Policy().empty.methods.map { JSON($0) }),
                "The request methods whose responses have no body."),
            ManifestKey(
                "status", .list(.pattern(.status)), default: json(SerializerRegistry.Policy().empty.status),
                "The statuses whose responses have no body."),
            ManifestKey(
                "otherwise", .words(SerializerRegistry.Policy.EmptyBody.Otherwise.allCases.map(\.rawValue)),
                default: JSON(SerializerRegistry.Policy().empty.otherwise.rawValue),
                "What no bytes are for every other method and status: an empty response, or an error."),
        ])

    /// `"limits"` of a policy.
    package static let limits = ManifestObject(
        "limits",
        [
            ManifestKey(
                "maxBodyBytes", .integer(0...Int.max), default: JSON(SerializerRegistry.Policy().maximumBodyBytes),
                "The largest body, in bytes after content decoding; a larger one ends the transfer.")
        ])

    /// One of `"plugins"`.
    package static let entry = ManifestObject(
        "entry",
        [
            ManifestKey(
                "id", .pattern(.id),
                "The name of the entry, once in all lists; one that an earlier manifest has changes that entry.",
                need: .everyObject),
            ManifestKey(
                "factory", .factory, "The name of the factory that makes the serializer.", need: .someManifest),
            ManifestKey(
                "match", .object(match),
                "The responses and the bodies of requests that the entry covers; without it, all."),
            ManifestKey("options", .options, default: [:], "What the factory reads."),
            ManifestKey("limits", .object(entryLimits), "What no body for this entry may pass."),
            ManifestKey(
                "onFailure", .words(FailureRule.allCases.map(\.rawValue)), default: JSON(FailureRule.error.rawValue),
                "What follows when the serializer cannot read a response or the body outgrows the entry's limit: an error, the next entry that covers the response, or the raw bytes."
            ),
            ManifestKey(
                "optional", .bool, default: false,
                "Whether the entry always declines, instead of being an error, where its factory is not in the build."),
            ManifestKey("enabled", .bool, default: true, "Whether the entry is asked at all."),
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
                "Where in its list the entry goes, be it new or there already.", removable: false),
            ManifestKey(
                "hides", ids, "The entries that this one takes responses from on purpose, so that no warning says so."),
        ])

    /// `"place"` of an entry, where it is relative to another.
    package static let place = ManifestObject(
        "place",
        [
            ManifestKey("before", .text(), "The id of the entry before which it goes.", removable: false),
            ManifestKey("after", .text(), "The id of the entry behind which it goes.", removable: false),
        ])

    private static let ids = ManifestValue.list(.text(), atMost: ManifestReader.maximumEntries, isSet: true)

    /// `"match"` of an entry.
    package static let match = ManifestObject(
        "match",
        [
            ManifestKey(
                "types", .list(.pattern(.mediaRange), atLeast: 1),
                "Media ranges, one of which has to cover the response or the body of a request; without them the entry covers all, and responses without a type."
            ),
            ManifestKey(
                "status", .list(.pattern(.status), atLeast: 1),
                "Statuses, one of which has to be that of the response; without them any is. Requests have none."),
            ManifestKey(
                "wanted", .words(ManifestEntry.Wanted.allCases.map(\.rawValue)),
                "What a call has to want of the response: `elements`, one by one or as an array; without it the entry is asked whatever is wanted."
            ),
        ])

    /// `"limits"` of an entry.
    package static let entryLimits = ManifestObject(
        "entryLimits",
        [
            ManifestKey(
                "maxBodyBytes", .integer(0...Int.max),
                "The largest body for this entry, in bytes after content decoding; the limit of the policy holds as well."
            )
        ])

    /// The section of a host.
    package static let section = ManifestObject(
        "section",
        [
            ManifestKey(
                "plugins", .list(.object(entry), atMost: ManifestReader.maximumEntries),
                "Entries for this host alone, which are asked before those of the global list."),
            ManifestKey(
                "order", ids,
                "Ids of the section's own and extended entries, which take the positions that they have among themselves in this order.",
                removable: false),
            ManifestKey(
                "extends", .pattern(.wildcard),
                "The wildcard section whose own entries are asked after those of this one, and before the global list. Its `requestContentType` also applies here, unless this section says one; nothing else of it does."
            ),
            ManifestKey("without", ids, "Entries that are left out of those that `extends` brings."),
            ManifestKey(
                "use", ids,
                "The ids of the global list that are asked here, in this order; without it all are, in theirs."),
            ManifestKey(
                "inherit", .bool, default: true, "Whether the global list is asked after the section's own entries."),
            ManifestKey("policy", .object(policy), "What differs from the policy of the top level."),
            ManifestKey(
                "hides", ids,
                "The entries whose responses other entries take here on purpose, so that no warning says so."),
        ])

    private static func json(_ statuses: StatusSet) -> JSON {
        .array(statuses.members.map { JSON($0.description) })
    }
}
